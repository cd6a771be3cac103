import { createEffect, createSignal, type JSX, Show } from 'solid-js';
import { targetInWords, whenInWords } from '../../../../shared/kernel/sched/words.ts';
import { usePage } from '../../context.ts';
import { processTitle } from '../../live/processes.ts';
import { runSchedule } from '../../live/run-schedule.ts';
import { fromNow, type LiveSchedule, lastInWords, momentIn, scheduleTone } from '../../live/schedules.ts';
import { Dot } from '../../parts/small.tsx';
import { clockTime, fullTime } from '../../parts/words.ts';
import { RunHistory } from './run-history.tsx';
import { ownZone } from './zones.ts';

/** `shown`: its address names this one. */
export function ScheduleCard(props: { row: LiveSchedule; shown: boolean; onEdit(): void }): JSX.Element {
  const page = usePage();
  let card: HTMLLIElement | undefined;
  createEffect(() => {
    if (props.shown) card?.scrollIntoView({ block: 'center' });
  });
  return (
    <li ref={card} class="row-card schedule" classList={{ shown: props.shown }}>
      <Dot tone={scheduleTone(props.row)} beats={props.row.state.runningAtMs !== null} />
      <div class="row-main">
        <h2 class="row-title">{props.row.name}</h2>
        <p class="row-sub">{sentence(props.row, page.processes)}</p>
        <p class="schedule-next">{nextInWords(props.row, page.now())}</p>
        <Show when={props.row.enabled && props.row.state.lastError !== null}>
          <p class="row-note schedule-error">{props.row.state.lastError}</p>
        </Show>
        <Show when={props.row.state.missed}>
          {(missed) => (
            <p class="row-note">
              GSV was not open from {momentIn(missed().fromMs, ownZone(), page.now())}:{' '}
              {missed().policy === 'skip' ? 'what was due was skipped.' : 'it was made up for once.'}
            </p>
          )}
        </Show>
        <Show when={lastInWords(props.row)}>
          <details class="more schedule-history" open={props.shown}>
            <summary title={fullTime(props.row.state.lastRunAtMs ?? 0)}>
              Last run {lastInWords(props.row)} · {clockTime(props.row.state.lastRunAtMs ?? 0, page.now())}
            </summary>
            <RunHistory row={props.row} />
          </details>
        </Show>
      </div>
      <ScheduleActions row={props.row} onEdit={() => props.onEdit()} />
    </li>
  );
}

function sentence(
  { expression, target }: LiveSchedule,
  processes: ReturnType<typeof usePage>['processes'],
): string {
  const told = 'pid' in target ? processes.find(({ pid }) => pid === target.pid) : undefined;
  const does = targetInWords(target);
  const named = told ? does.replace('a process', `“${processTitle(told)}”`) : does;
  const when = whenInWords(expression, ownZone());
  return `${when.charAt(0).toUpperCase()}${when.slice(1)} · ${named}`;
}

function nextInWords({ enabled, state }: LiveSchedule, now: number): string {
  if (state.runningAtMs !== null) return 'Running now';
  if (!enabled) return 'Off';
  if (state.retryAtMs !== null) return `It is tried again ${fromNow(state.retryAtMs, now)}`;
  if (state.nextRunAtMs === null) return 'It does not fire again';
  const { nextRunAtMs } = state;
  if (nextRunAtMs <= now) return 'Due now';
  return `Next ${fromNow(nextRunAtMs, now)} · ${momentIn(nextRunAtMs, ownZone(), now)}`;
}

function ScheduleActions(props: { row: LiveSchedule; onEdit(): void }): JSX.Element {
  const page = usePage();
  const { gsv, notices } = page;
  const [running, setRunning] = createSignal(false);
  const { id } = props.row;
  const name = (): string => props.row.name;
  const toggle = (): unknown =>
    notices.attempt(`“${name()}” could not be changed`, () =>
      gsv.call('sched.update', { id, patch: { enabled: !props.row.enabled } }),
    );
  const run = async (): Promise<void> => {
    setRunning(true);
    await runSchedule(page, id, `“${name()}”`);
    setRunning(false);
  };
  const remove = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: `Remove “${name()}”?`,
      text: 'It does not fire any more, and its history is gone.',
      action: 'Remove',
      danger: true,
    });
    if (sure) await notices.attempt('It could not be removed', () => gsv.call('sched.remove', { id }));
  };
  return (
    <div class="row-actions schedule-actions">
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={props.row.enabled}
        aria-label={`${name()} is on`}
        onClick={() => void toggle()}
      >
        <i aria-hidden="true" />
      </button>
      <button
        type="button"
        class="button"
        aria-label={`Run now: ${name()}`}
        disabled={running()}
        onClick={() => void run()}
      >
        Run now
      </button>
      <button type="button" class="button" aria-label={`Edit ${name()}`} onClick={() => props.onEdit()}>
        Edit
      </button>
      <button type="button" class="button" aria-label={`Remove ${name()}`} onClick={() => void remove()}>
        Remove
      </button>
    </div>
  );
}
