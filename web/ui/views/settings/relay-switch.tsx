import { createSignal, type JSX, onMount, Show } from 'solid-js';
import { RELAY_ALLOWED, RELAY_SETTING } from '../../../../shared/state/relay-setting.ts';
import { usePage } from '../../context.ts';
import { readAi, writeAi } from '../../live/local-models.ts';

/** Whether the server of a sealed GSV may pass calls to providers on. Nothing is shown where nothing is sealed. */
export function RelaySwitch(): JSX.Element {
  const page = usePage();
  const [allowed, setAllowed] = createSignal<boolean | null>(null);
  const read = async (): Promise<void> => {
    const { sealed } = await page.gsv.call('sys.seal.get', {});
    if (sealed) setAllowed((await readAi(page, RELAY_SETTING)) === RELAY_ALLOWED);
  };
  // Whoever does not own this GSV is refused, and decides nothing here.
  onMount(() => void read().catch(() => {}));
  const choose = async (on: boolean): Promise<void> => {
    const saved = await page.notices.attempt('It was not saved', async () => {
      await writeAi(page, RELAY_SETTING, on ? RELAY_ALLOWED : '');
      return true;
    });
    setAllowed(saved === true ? on : !on);
  };
  return (
    <Show when={allowed() !== null}>
      <fieldset class="choices">
        <legend>If the provider refuses browsers</legend>
        <label>
          <input
            type="checkbox"
            checked={allowed() === true}
            onChange={(event) => void choose(event.currentTarget.checked)}
          />
          The server may pass calls on to it
        </label>
        <p class="hint">
          This GSV is sealed. Only what is passed on this way could be read by the server: your messages, the
          answers and the key.
        </p>
      </fieldset>
    </Show>
  );
}
