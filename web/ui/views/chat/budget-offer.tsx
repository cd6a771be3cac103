import { createSignal, createUniqueId, For, type JSX } from 'solid-js';
import type { Reached } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import type { Unit } from '../../live/usage.ts';
import { offered, readAmount } from '../../live/usage-words.ts';
import { Form } from '../../parts/form.tsx';
import { useChat } from './chat-context.ts';

const unitNames: Record<Unit, string> = { cost: 'US dollars', tokens: 'tokens' };

/** Goes on with a run that a limit has stopped; where budgets did, with so much more for this run. */
export function ContinueOffer(props: { budgets: readonly Reached[] }): JSX.Element {
  const { gsv, notices } = usePage();
  const { about } = useChat();
  const id = createUniqueId();
  const first = offered(props.budgets);
  const unitsAsked = (Object.keys(first) as Unit[]).sort();
  const [typed, setTyped] = createSignal<Partial<Record<Unit, string>>>({});
  const text = (unit: Unit): string => typed()[unit] ?? String(first[unit]);
  const wrong = (): boolean => unitsAsked.some((unit) => readAmount(unit, text(unit)) === null);
  const goOn = (): Promise<unknown> => {
    const raise = Object.fromEntries(unitsAsked.map((unit) => [unit, readAmount(unit, text(unit))]));
    return notices.attempt('It could not go on', () =>
      gsv.call('proc.continue', { ...about(), ...(unitsAsked.length > 0 ? { raise } : {}) }),
    );
  };
  return (
    <Form
      class="continue-offer"
      onSubmit={() => {
        if (!wrong()) void goOn();
      }}
    >
      <For each={unitsAsked}>
        {(unit) => (
          <span class="continue-amount">
            <label for={`${id}-${unit}`}>{unit === 'cost' ? '$' : 'Tokens'}</label>
            <input
              id={`${id}-${unit}`}
              class="input"
              inputmode="decimal"
              autocomplete="off"
              aria-label={`How many more ${unitNames[unit]} this run may use`}
              aria-invalid={readAmount(unit, text(unit)) === null ? true : undefined}
              value={text(unit)}
              onInput={(event) => setTyped({ ...typed(), [unit]: event.currentTarget.value })}
            />
            <span class="hint">more, for this run</span>
          </span>
        )}
      </For>
      <button type="submit" class="button" disabled={wrong()}>
        Continue
      </button>
    </Form>
  );
}
