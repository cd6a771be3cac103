import { For, type JSX, Show } from 'solid-js';
import type { ScheduleRun } from '../../../../shared/syscalls/sched.ts';
import { usePage } from '../../context.ts';
import type { LiveSchedule } from '../../live/schedules.ts';
import { createAsked } from '../../parts/asked.ts';
import { Link } from '../../parts/link.tsx';
import { duration, fullTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';

const causes: Record<ScheduleRun['cause'], string> = {
  due: '',
  late: 'late',
  retry: 'tried again',
  person: 'by hand',
};
const results: Record<ScheduleRun['status'], string> = { ok: 'ok', error: 'failed', skipped: 'skipped' };
const SHOWN = 20;

/** The last runs, newest first; read anew when there is one more. */
export function RunHistory(props: { row: LiveSchedule }): JSX.Element {
  const { gsv } = usePage();
  const runs = createAsked(
    async () => (await gsv.call('sched.history', { id: props.row.id, limit: SHOWN })).runs,
    () => [props.row.id, props.row.state.runCount],
  );
  return (
    <ol class="plain run-history" aria-label={`Runs of ${props.row.name}`}>
      <For each={runs.latest() ?? []}>{(run) => <Run run={run} />}</For>
    </ol>
  );
}

function Run(props: { run: ScheduleRun }): JSX.Element {
  const words = (): string =>
    [results[props.run.status], causes[props.run.cause], duration(props.run.durationMs)]
      .filter((part) => part !== '')
      .join(' · ');
  return (
    <li>
      <time dateTime={new Date(props.run.startedAtMs).toISOString()}>{fullTime(props.run.startedAtMs)}</time>
      <span classList={{ 'run-failed': props.run.status === 'error' }}>{words()}</span>
      <Show when={props.run.note !== ''}>
        <span class="run-note">{props.run.note}</span>
      </Show>
      <Show when={props.run.pid}>
        {(pid) => (
          <Link href={chatPath(pid())} label="Open the conversation of this run">
            Open
          </Link>
        )}
      </Show>
    </li>
  );
}
