import { createMemo, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { groupProcesses, type LiveProcess, processActivity, processTitle } from '../../live/processes.ts';
import { Link } from '../../parts/link.tsx';
import { Dot, type Tone } from '../../parts/small.tsx';
import { Some } from '../../parts/some.tsx';
import { clockTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';

export const processTone: Record<LiveProcess['state'], Tone> = {
  running: 'busy',
  waiting: 'wait',
  error: 'bad',
  idle: 'off',
  killed: 'off',
};

export function ProcessList(props: { onGo?: () => void }): JSX.Element {
  const page = usePage();
  const groups = createMemo(() => groupProcesses(page.processes));
  const titles = createMemo(() => groups().map((group) => group.title));
  const members = (title: string): LiveProcess[] =>
    groups().find((group) => group.title === title)?.processes ?? [];
  return (
    <Show
      when={titles().length > 0}
      fallback={<p class="rail-empty">{page.processesReady() ? 'Nothing runs yet.' : ''}</p>}
    >
      <For each={['Running', 'Waiting for you', 'Recent']}>
        {(title) => (
          <Show when={members(title).length > 0}>
            <h2 class="rail-title">{title}</h2>
            <ul class="plain">
              <Some each={members(title)} by={(row) => row.pid}>
                {(row) => <ProcessLink row={row()} onGo={props.onGo} />}
              </Some>
            </ul>
          </Show>
        )}
      </For>
    </Show>
  );
}

function ProcessLink(props: { row: LiveProcess; onGo?: () => void }): JSX.Element {
  const page = usePage();
  const current = (): boolean => {
    const route = page.router.route();
    return route.view === 'chat' && (route.pid ?? page.home()?.pid) === props.row.pid;
  };
  return (
    <li>
      <Link href={chatPath(props.row.pid)} class="rail-row" current={current()} onGo={props.onGo}>
        <Dot tone={processTone[props.row.state]} beats={props.row.state === 'running'} />
        <span class="rail-name">{processTitle(props.row)}</span>
        <time dateTime={new Date(props.row.updatedAt).toISOString()}>
          {clockTime(props.row.updatedAt, page.now())}
        </time>
        <span class="rail-activity">{processActivity(props.row)}</span>
      </Link>
    </li>
  );
}
