import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  byDay,
  byModel,
  byProcess,
  type Group,
  hasUnpriced,
  sumOf,
  type Unit,
  type Usage,
  unitOf,
} from '../../live/usage.ts';
import { amountWords, costWords } from '../../live/usage-words.ts';
import { Fact } from '../../parts/fact.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { Empty } from '../../parts/small.tsx';
import { count, money, tokens } from '../../parts/words.ts';
import { BudgetForm } from './budget-form.tsx';
import { Section } from './section.tsx';

const DAYS = 30;

/** What model calls cost, and the budgets that stop them. */
export function UsageSettings(): JSX.Element {
  const { gsv } = usePage();
  const [usage, setUsage] = createSignal<Usage | null>();
  const read = (): Promise<unknown> =>
    gsv.call('proc.usage', { days: DAYS }).then(setUsage, () => setUsage((known) => known ?? null));
  void read();
  onCleanup(
    gsv.onSignal((signal) => {
      if (signal === 'proc.run.finished') void read();
    }),
  );
  return (
    <Show
      when={usage() !== null}
      fallback={<Empty title="What was used cannot be read now.">Try again in a moment.</Empty>}
    >
      <Section
        title="Used in 30 days"
        text="Each call of a model, from every browser and process of this account."
      >
        <Show when={usage()}>{(known) => <Used usage={known()} />}</Show>
      </Section>
      <Section
        title="Budgets"
        text="A run stops before its next model call when one is used up, and offers you to continue. Empty is no limit."
      >
        <Show when={usage()}>
          {(known) => <BudgetForm budgets={known().budgets} onSaved={() => void read()} />}
        </Show>
      </Section>
    </Show>
  );
}

function Used(props: { usage: Usage }): JSX.Element {
  const rows = () => props.usage.rows;
  const unit = (): Unit => unitOf(rows());
  const today = () => sumOf(rows().filter(({ day }) => day === props.usage.today));
  return (
    <Show
      when={rows().length > 0}
      fallback={
        <Empty title="Nothing was used yet.">Say something to GSV, and what it cost stands here.</Empty>
      }
    >
      <dl class="facts wide-facts usage-facts">
        <Fact name="today" value={sumWords(today())} />
        <Fact name="in 30 days" value={sumWords(sumOf(rows()))} />
      </dl>
      <Days days={byDay(props.usage, DAYS)} unit={unit()} />
      <Groups title="By process" what="Process" groups={byProcess(rows())} unit={unit()} />
      <Groups title="By model" what="Model" groups={byModel(rows())} unit={unit()} />
      <Show when={hasUnpriced(rows())}>
        <p class="hint">
          Where the price of a model is not known, its tokens are counted and its cost is not.
        </p>
      </Show>
    </Show>
  );
}

function sumWords({ cost, tokens: used, calls }: ReturnType<typeof sumOf>): string {
  const price = cost > 0 ? `${money(cost)}, ` : '';
  return `${price}${tokens(used)} tokens in ${count(calls, 'call')}`;
}

/** A bar for each day, all on one scale that begins at 0; the same as a table for who does not see bars. */
function Days(props: { days: Group[]; unit: Unit }): JSX.Element {
  const most = (): number => Math.max(...props.days.map((day) => day[props.unit]));
  const short = (day: string): string => `${Number(day.slice(8))}.${Number(day.slice(5, 7))}.`;
  return (
    <figure class="usage-days">
      <figcaption class="usage-title">
        By day <span class="hint">the highest is {amountWords(props.unit, most())}</span>
      </figcaption>
      <div class="usage-bars" aria-hidden="true">
        <For each={props.days}>
          {(day) => (
            <div class="usage-day" title={`${day.name}: ${amountWords(props.unit, day[props.unit])}`}>
              <i
                classList={{ some: day[props.unit] > 0 }}
                style={{ height: `${most() > 0 ? (day[props.unit] / most()) * 100 : 0}%` }}
              />
            </div>
          )}
        </For>
      </div>
      <p class="usage-axis" aria-hidden="true">
        <span>{short(props.days[0]?.key ?? '')}</span>
        <span>{short(props.days.at(-1)?.key ?? '')}</span>
      </p>
      <table class="visually-hidden">
        <caption>By day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Cost</th>
            <th scope="col">Tokens</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.days.filter(({ calls }) => calls > 0)}>
            {(day) => (
              <tr>
                <th scope="row">{day.name}</th>
                <td>{costWords(day)}</td>
                <td>{tokens(day.tokens)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </figure>
  );
}

function Groups(props: { title: string; what: string; groups: Group[]; unit: Unit }): JSX.Element {
  const most = (): number => Math.max(...props.groups.map((group) => group[props.unit]));
  return (
    <table class="usage-table">
      <caption class="usage-title">{props.title}</caption>
      <thead>
        <tr>
          <th scope="col">{props.what}</th>
          <th scope="col" class="number">
            Cost
          </th>
          <th scope="col" class="number">
            Tokens
          </th>
        </tr>
      </thead>
      <tbody>
        <For each={props.groups}>
          {(group) => (
            <tr>
              <th scope="row">
                <span class="usage-name" dir="auto">
                  {tameProse(group.name)}
                </span>
                <span class="usage-bar" aria-hidden="true">
                  <i style={{ width: `${most() > 0 ? (group[props.unit] / most()) * 100 : 0}%` }} />
                </span>
              </th>
              <td class="number">{costWords(group)}</td>
              <td class="number">{tokens(group.tokens)}</td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}
