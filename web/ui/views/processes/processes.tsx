import { createMemo, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { type LiveProcess, processTitle } from '../../live/processes.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Dot, Empty } from '../../parts/small.tsx';
import { clockTime, fullTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import { processTone } from '../shell/process-list.tsx';
import { ViewHead } from '../shell/view-head.tsx';
import { ProcessTabs } from './tabs.tsx';

const stateWords = {
  running: 'running',
  waiting: 'waiting for you',
  error: 'stopped by an error',
  idle: 'idle',
  killed: 'ended',
};

export function ProcessesView(): JSX.Element {
  const page = usePage();
  const running = createMemo(
    () => page.processes.filter((row) => row.state === 'running' || row.state === 'waiting').length,
  );
  return (
    <main class="view" id="main">
      <ViewHead title="Processes">
        <p class="view-count">
          {page.processes.length} in all, {running()} at work
        </p>
        <button type="button" class="button primary" onClick={() => page.show('spawn')}>
          <Icon name="plus" size={16} />
          New process
        </button>
      </ViewHead>
      <ProcessTabs />
      <div class="view-body">
        <Show
          when={page.processes.length > 0}
          fallback={<Empty title="Nothing runs.">Start a conversation, and its process appears here.</Empty>}
        >
          <ul class="plain rows" aria-label="Processes">
            <For each={page.processes}>{(row) => <ProcessCard row={row} />}</For>
          </ul>
        </Show>
      </div>
    </main>
  );
}

function ProcessCard(props: { row: LiveProcess }): JSX.Element {
  const page = usePage();
  return (
    <li class="row-card">
      <Dot tone={processTone[props.row.state]} beats={props.row.state === 'running'} />
      <div class="row-main">
        <Link href={chatPath(props.row.pid)} class="row-title">
          {processTitle(props.row)}
        </Link>
        <p class="row-sub">{sentence(props.row)}</p>
        <dl class="row-facts">
          <Fact name="profile" value={props.row.profile} />
          <Fact name="pid" value={props.row.pid} />
          <Fact name="folder" value={props.row.cwd} />
          <Fact
            name="started"
            value={clockTime(props.row.createdAt, page.now())}
            title={fullTime(props.row.createdAt)}
          />
        </dl>
      </div>
      <ProcessActions row={props.row} />
    </li>
  );
}

/** Its state in words, what it does, and what waits for it. */
function sentence(row: LiveProcess): string {
  const queued = row.queuedCount === 0 ? null : `${row.queuedCount} queued`;
  return [stateWords[row.state], row.activity, queued].filter((part) => part !== null).join(' · ');
}

function Fact(props: { name: string; value: string; title?: string }): JSX.Element {
  return (
    <div title={props.title}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function ProcessActions(props: { row: LiveProcess }): JSX.Element {
  const { gsv, notices } = usePage();
  const name = () => processTitle(props.row);
  const busy = () => props.row.state === 'running' || props.row.state === 'waiting';
  const { pid } = props.row;
  const stop = () =>
    notices.attempt(`“${name()}” could not be stopped`, () => gsv.call('proc.abort', { pid }));
  const reset = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: `Begin “${name()}” anew?`,
      text: 'Its conversation is archived and cleared, and a run that goes on is stopped.',
      action: 'Reset',
      danger: false,
    });
    if (!sure) return;
    const answer = await notices.attempt('It could not be reset', () => gsv.call('proc.reset', { pid }));
    if (answer !== null) notices.good(`${answer.archivedMessages} messages were archived.`);
  };
  const end = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: `End “${name()}”?`,
      text: 'The process is gone then. Its conversation is archived first.',
      action: 'End process',
      danger: true,
    });
    if (!sure) return;
    const answer = await notices.attempt('It could not be ended', () => gsv.call('proc.kill', { pid }));
    if (answer !== null) notices.good(`“${name()}” has ended.`);
  };
  return (
    <div class="row-actions">
      <Show when={busy()}>
        <button type="button" class="button" aria-label={`Stop ${name()}`} onClick={() => void stop()}>
          Stop
        </button>
      </Show>
      <button type="button" class="button" aria-label={`Reset ${name()}`} onClick={() => void reset()}>
        Reset
      </button>
      <Show when={props.row.profile !== 'init'}>
        <button type="button" class="button" aria-label={`End ${name()}`} onClick={() => void end()}>
          End
        </button>
      </Show>
    </div>
  );
}
