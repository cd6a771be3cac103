import { createUniqueId, type JSX, Show } from 'solid-js';

/** A field of several lines with a label, and what is wrong with it. */
export function TextArea(props: {
  label: string;
  value: string;
  placeholder: string;
  mono: boolean;
  problem: string | null;
  onValue(value: string): void;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <textarea
        id={id}
        class="input"
        classList={{ mono: props.mono }}
        rows={3}
        maxLength={65_536}
        placeholder={props.placeholder}
        value={props.value}
        aria-invalid={props.problem ? true : undefined}
        aria-describedby={props.problem ? `${id}-problem` : undefined}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      <Show when={props.problem}>
        <p class="problem" id={`${id}-problem`} role="alert">
          {props.problem}
        </p>
      </Show>
    </div>
  );
}
