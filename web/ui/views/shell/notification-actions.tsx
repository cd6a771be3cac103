import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { RUN_SCHEDULE, SHOW_SCHEDULE } from '../../../../shared/syscalls/notice-kinds.ts';
import { usePage } from '../../context.ts';
import type { LiveNotification } from '../../live/notifications.ts';
import { runSchedule } from '../../live/run-schedule.ts';
import { Link } from '../../parts/link.tsx';
import { showHidden, tameProse } from '../../parts/machine-text.ts';
import { CopyButton } from '../../parts/small.tsx';
import { schedulePath } from '../../route.ts';

type Action = LiveNotification['actions'][number];

/** What can be done about a notification. A process may name files only: what acts for its person is not its to offer. */
export function NotificationActions(props: { row: LiveNotification }): JSX.Element {
  const page = usePage();
  const acts = ({ kind }: Action): boolean => kind === SHOW_SCHEDULE || kind === RUN_SCHEDULE;
  const trusted = (): boolean => props.row.source.kind === 'user';
  const offered = (): Action[] => props.row.actions.filter((action) => !acts(action) || trusted());
  return (
    <div class="notification-actions">
      <For each={offered()}>
        {(action) => (
          <Show when={action.target}>
            {(target) => (
              <Switch fallback={<PathAction label={action.label} path={target()} />}>
                <Match when={action.kind === SHOW_SCHEDULE}>
                  <Link class="button" href={schedulePath(target())} onGo={() => page.show('none')}>
                    Show the schedule
                  </Link>
                </Match>
                <Match when={action.kind === RUN_SCHEDULE}>
                  <RunAgain id={target()} />
                </Match>
              </Switch>
            )}
          </Show>
        )}
      </For>
    </div>
  );
}

function RunAgain(props: { id: string }): JSX.Element {
  const page = usePage();
  const [running, setRunning] = createSignal(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    await runSchedule(page, props.id, 'The schedule');
    setRunning(false);
  };
  return (
    <button type="button" class="button" disabled={running()} onClick={() => void run()}>
      {running() ? 'Running…' : 'Run again'}
    </button>
  );
}

/** A file that a notification is about: its path, to be given to an agent or a command. */
function PathAction(props: { label: string; path: string }): JSX.Element {
  return (
    <div class="path-line">
      <span class="path-label">{tameProse(props.label)}</span>
      <code dir="ltr">{showHidden(props.path)}</code>
      <CopyButton text={props.path} label="Copy" quiet />
    </div>
  );
}
