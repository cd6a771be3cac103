import { createSignal, type JSX, onMount } from 'solid-js';
import { usePage } from '../../context.ts';
import { readAi, writeAi } from '../../live/local-models.ts';

/** Whether the model names what its person did not. */
export function TitlesSettings(): JSX.Element {
  const page = usePage();
  const [wanted, setWanted] = createSignal(true);
  onMount(
    () =>
      void readAi(page, 'titles').then(
        (value) => setWanted(value !== 'off'),
        () => {},
      ),
  );
  const choose = async (on: boolean): Promise<void> => {
    setWanted(on);
    await page.notices.attempt('It was not saved', () => writeAi(page, 'titles', on ? 'on' : 'off'));
  };
  return (
    <fieldset class="choices">
      <legend>Names of conversations</legend>
      <label>
        <input
          type="checkbox"
          checked={wanted()}
          onChange={(event) => void choose(event.currentTarget.checked)}
        />
        The model names a conversation after its first answer
      </label>
    </fieldset>
  );
}
