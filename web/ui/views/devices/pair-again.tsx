import type { JSX } from 'solid-js';

/** Makes a new line for a device that there is. `urgent`: nothing is sent to it until then. */
export function PairAgain(props: { deviceId: string; urgent?: boolean; onPress(): void }): JSX.Element {
  return (
    <button
      type="button"
      class="button"
      classList={{ primary: props.urgent === true }}
      aria-label={`Pair again: ${props.deviceId}`}
      onClick={() => props.onPress()}
    >
      Pair again
    </button>
  );
}
