import { createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { readAi, writeAi } from '../../live/local-models.ts';
import { SelectField } from '../../parts/field.tsx';

const reasons = [
  { id: 'offline', name: 'the network or the provider is away' },
  { id: 'budget', name: 'a budget is used up' },
] as const;

/** The second link of the account's chain: which model of this device stands in, and when. */
export function ChainForm(props: { models: { value: string; name: string }[] }): JSX.Element {
  const page = usePage();
  const [model, setModel] = createSignal('');
  const [when, setWhen] = createSignal<readonly string[]>(['offline', 'budget']);
  onMount(() => {
    void readAi(page, 'local').then(setModel, () => {});
    void readAi(page, 'local_when').then(
      (words) => words !== '' && setWhen(words.split(',')),
      () => {},
    );
  });
  const store = async (name: string, value: string): Promise<void> => {
    await page.notices.attempt('It was not saved', () => writeAi(page, name, value));
  };
  const choose = (value: string): void => {
    setModel(value);
    void store('local', value);
  };
  const toggle = (id: string, on: boolean): void => {
    const next = reasons
      .map((reason) => reason.id)
      .filter((known) => (known === id ? on : when().includes(known)));
    setWhen(next);
    void store('local_when', next.join(',') || 'never');
  };
  return (
    <Show
      when={props.models.length > 0}
      fallback={<p class="hint">Put a model on this device first; it can stand in then.</p>}
    >
      <div class="form">
        <SelectField
          label="Model that stands in"
          hint="It also answers conversations that you keep on this device."
          value={model()}
          onValue={choose}
        >
          <option value="">None</option>
          <For each={props.models}>{(entry) => <option value={entry.value}>{entry.name}</option>}</For>
        </SelectField>
        <fieldset class="choices" disabled={model() === ''}>
          <legend>It stands in when</legend>
          <For each={reasons}>
            {(reason) => (
              <label>
                <input
                  type="checkbox"
                  checked={when().includes(reason.id)}
                  onChange={(event) => toggle(reason.id, event.currentTarget.checked)}
                />
                {reason.name}
              </label>
            )}
          </For>
        </fieldset>
      </div>
    </Show>
  );
}
