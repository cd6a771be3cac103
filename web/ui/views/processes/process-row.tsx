import { type JSX, Show } from 'solid-js';
import { isActive } from '../../../../shared/state/active.ts';
import { usePage } from '../../context.ts';
import type { TreeRow } from '../../live/process-tree.ts';
import { childrenWords, kindWords, processSentence, taskWords } from '../../live/process-words.ts';
import { type LiveProcess, processTitle } from '../../live/processes.ts';
import type { Spent } from '../../live/usage.ts';
import { costWords } from '../../live/usage-words.ts';
import { Fact } from '../../parts/fact.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Chip, Dot } from '../../parts/small.tsx';
import { clockTime, fullTime, tokens } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import { processTone } from '../shell/process-list.tsx';
import type { ProcessActions } from './process-actions.ts';

type Props = {
  row: TreeRow;
  used: Spent | undefined;
  actions: ProcessActions;
  titleOf(pid: string): string;
  /** Whether Tab comes to this row; arrow keys lead to the others. */
  focusable: boolean;
  onFocus(): void;
  onToggle(open: boolean): void;
};

/** How far below another a row is still moved in; deeper ones stay readable on a phone. */
const DEEPEST = 6;

export function ProcessRow(props: Props): JSX.Element {
  const process = (): LiveProcess => props.row.process;
  const hasChildren = (): boolean => props.row.below.length > 0;
  return (
    <div
      class="row-card process-row"
      classList={{ faded: process().task?.outcome !== undefined && !isActive(process().state) }}
      role="treeitem"
      aria-level={props.row.level}
      aria-posinset={props.row.place}
      aria-setsize={props.row.size}
      aria-expanded={hasChildren() ? props.row.open : undefined}
      aria-keyshortcuts="Enter S R Delete"
      data-pid={process().pid}
      tabIndex={props.focusable ? 0 : -1}
      style={{ '--level': Math.min(props.row.level, DEEPEST) - 1 }}
      onFocus={() => props.onFocus()}
    >
      <Show when={hasChildren()}>
        <button
          type="button"
          class="tree-toggle"
          tabIndex={-1}
          aria-label={`${props.row.open ? 'Hide' : 'Show'} what ${processTitle(process())} has started`}
          onClick={() => props.onToggle(!props.row.open)}
        >
          <Icon name="chevron" size={14} />
        </button>
      </Show>
      <Dot tone={processTone[process().state]} beats={process().state === 'running'} />
      <Main {...props} />
      <Actions row={process()} actions={props.actions} />
    </div>
  );
}

function Main(props: Props): JSX.Element {
  const page = usePage();
  const process = (): LiveProcess => props.row.process;
  return (
    <div class="row-main">
      <div class="process-title">
        <Link href={chatPath(process().pid)} class="row-title">
          {processTitle(process())}
        </Link>
        <Show when={taskWords(process(), page.now())}>
          {(words) => (
            <Chip
              title="What it was delegated"
              warn={['error', 'timeout'].includes(process().task?.outcome ?? '')}
            >
              {words()}
            </Chip>
          )}
        </Show>
      </div>
      <p class="row-sub">{processSentence(process(), props.titleOf)}</p>
      <dl class="row-facts">
        <Show when={props.row.below.length > 0}>
          <Fact name="started" value={childrenWords(props.row.below)} />
        </Show>
        <Show when={props.used}>
          {(used) => (
            <>
              <Fact name="used" value={`${tokens(used().tokens)} tokens`} />
              <Fact name="cost" value={costWords(used())} />
            </>
          )}
        </Show>
        <Fact name="kind" value={kindWords(process().profile)} title={process().pid} />
        <Fact name="folder" value={process().cwd} />
        <Fact
          name="since"
          value={clockTime(process().createdAt, page.now())}
          title={fullTime(process().createdAt)}
        />
      </dl>
    </div>
  );
}

function Actions(props: { row: LiveProcess; actions: ProcessActions }): JSX.Element {
  const name = (): string => processTitle(props.row);
  return (
    <div class="row-actions">
      <Show when={isActive(props.row.state)}>
        <button
          type="button"
          class="button"
          aria-label={`Stop ${name()}`}
          onClick={() => void props.actions.stop(props.row)}
        >
          Stop
        </button>
      </Show>
      <button
        type="button"
        class="button"
        aria-label={`Reset ${name()}`}
        onClick={() => void props.actions.reset(props.row)}
      >
        Reset
      </button>
      <Show when={props.row.profile !== 'init'}>
        <button
          type="button"
          class="button"
          aria-label={`End ${name()}`}
          onClick={() => void props.actions.end(props.row)}
        >
          End
        </button>
      </Show>
    </div>
  );
}
