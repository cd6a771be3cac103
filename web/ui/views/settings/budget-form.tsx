import { createSignal, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { findUid } from '../../live/own-uid.ts';
import type { BudgetState, Unit } from '../../live/usage.ts';
import { readAmount, scopeName, usedWords } from '../../live/usage-words.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Bar } from '../../parts/small.tsx';

type Scope = BudgetState['scope'];
const scopes: readonly Scope[] = ['run', 'process', 'day', 'month'];
const hints: Record<Scope, string> = {
  run: 'From a message to its answer. $5 unless you choose.',
  process: 'Everything that one process has ever used.',
  day: 'All processes of this account, from midnight.',
  month: 'All processes of this account, from the first of the month.',
};
type Key = `${Scope}_${Unit}`;

export function BudgetForm(props: { budgets: readonly BudgetState[]; onSaved(): void }): JSX.Element {
  const page = usePage();
  const [typed, setTyped] = createSignal<Partial<Record<Key, string>>>({});
  const budget = (scope: Scope, unit: Unit): BudgetState | undefined =>
    props.budgets.find((state) => state.scope === scope && state.unit === unit);
  const text = (scope: Scope, unit: Unit): string =>
    typed()[`${scope}_${unit}`] ?? String(budget(scope, unit)?.limit ?? '');
  const problem = (scope: Scope, unit: Unit): string | null => {
    const value = text(scope, unit).trim();
    if (value === '' || readAmount(unit, value) !== null) return null;
    return unit === 'cost' ? 'An amount such as 0.50.' : 'A whole number.';
  };
  const wrong = (): boolean =>
    scopes.some((scope) => problem(scope, 'cost') !== null || problem(scope, 'tokens') !== null);
  const save = async (): Promise<void> => {
    const saved = await page.notices.attempt('The budgets were not saved', async () => {
      const prefix = `users/${await findUid(page)}/ai/budget`;
      for (const [key, value = ''] of Object.entries(typed())) {
        const amount = readAmount(key.endsWith('cost') ? 'cost' : 'tokens', value);
        await page.gsv.call('sys.config.set', { key: `${prefix}/${key}`, value: String(amount ?? '') });
      }
      return true;
    });
    if (saved === null) return;
    setTyped({});
    props.onSaved();
    page.notices.good('The budgets are saved.');
  };
  const field = (scope: Scope, unit: Unit): JSX.Element => (
    <TextField
      label={unit === 'cost' ? 'US dollars' : 'Tokens'}
      value={text(scope, unit)}
      problem={problem(scope, unit)}
      inputmode="decimal"
      autocomplete="off"
      placeholder="no limit"
      onValue={(value) => setTyped({ ...typed(), [`${scope}_${unit}`]: value })}
    />
  );
  return (
    <Form
      onSubmit={() => {
        if (!wrong()) void save();
      }}
    >
      <For each={scopes}>
        {(scope) => (
          <fieldset class="budget">
            <legend>For {scopeName(scope)}</legend>
            <p class="hint">{hints[scope]}</p>
            <div class="budget-fields">
              {field(scope, 'cost')}
              {field(scope, 'tokens')}
            </div>
            <For each={props.budgets.filter((state) => state.scope === scope && state.used !== null)}>
              {(state) => <BudgetUse state={state} />}
            </For>
          </fieldset>
        )}
      </For>
      <div class="form-actions">
        <button type="submit" class="button primary" disabled={wrong()}>
          Save the budgets
        </button>
      </div>
    </Form>
  );
}

function BudgetUse(props: { state: BudgetState }): JSX.Element {
  const part = (): number => (props.state.used ?? 0) / props.state.limit;
  return (
    <div class="budget-use">
      <Bar
        value={part()}
        label={usedWords(props.state)}
        tone={part() >= 1 ? 'bad' : part() >= 0.75 ? 'wait' : 'busy'}
      />
      <p class="hint">
        {usedWords(props.state)}
        <Show when={part() >= 1}>: nothing more is asked of a model until then.</Show>
      </p>
    </div>
  );
}
