import { For, type JSX, Show } from 'solid-js';
import { spanInWords } from '../../../../shared/kernel/sched/words.ts';
import { retriesInWords, type ScheduleForm } from '../../live/schedule-form.ts';
import { SelectField } from '../../parts/field.tsx';

type Fields = { form: ScheduleForm; set(changes: Partial<ScheduleForm>): void };

const tries = [0, 1, 2, 3, 5, 10];
const waits = [10_000, 60_000, 300_000, 900_000, 3_600_000];
const named = (count: number): string =>
  count === 0 ? 'Do not try again' : count === 1 ? 'Try once more' : `Try ${count} times more`;
/** What is offered, with what is chosen already. */
const offered = (known: readonly number[], chosen: number): number[] =>
  [...new Set([...known, chosen])].sort((a, b) => a - b);

/** What becomes of fires that fail, that nobody was there for, or that come while the last still goes on. */
export function TroubleFields(props: Fields): JSX.Element {
  const retries = (): string => retriesInWords(props.form);
  return (
    <>
      <div class="columns">
        <SelectField
          label="When it fails"
          value={String(props.form.tries)}
          onValue={(count) => props.set({ tries: Number(count) })}
        >
          <For each={offered(tries, props.form.tries)}>
            {(count) => (
              <option value={String(count)} selected={count === props.form.tries}>
                {named(count)}
              </option>
            )}
          </For>
        </SelectField>
        <Show when={props.form.tries > 0}>
          <SelectField
            label="First after"
            value={String(props.form.waitMs)}
            onValue={(wait) => props.set({ waitMs: Number(wait) })}
          >
            <For each={offered(waits, props.form.waitMs)}>
              {(wait) => (
                <option value={String(wait)} selected={wait === props.form.waitMs}>
                  {spanInWords(wait)}
                </option>
              )}
            </For>
          </SelectField>
        </Show>
      </div>
      <p class="hint">
        {retries() === ''
          ? 'You are told that it failed.'
          : `It is tried again ${retries()}. Then you are told.`}
      </p>
      <SelectField
        label="When GSV was not open at that time"
        hint="While its last run still goes on, it is skipped."
        value={props.form.missed}
        onValue={(missed) => props.set({ missed: missed === 'skip' ? 'skip' : 'run-once' })}
      >
        <option value="run-once">Make up for it once</option>
        <option value="skip">Skip it</option>
      </SelectField>
    </>
  );
}
