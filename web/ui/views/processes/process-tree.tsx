import { createMemo, createSignal, For, type JSX } from 'solid-js';
import { isActive } from '../../../../shared/state/active.ts';
import { usePage } from '../../context.ts';
import { type TreeRow, treeMove, treeRows } from '../../live/process-tree.ts';
import { createProcessUsage } from '../../live/process-usage.ts';
import { processTitle } from '../../live/processes.ts';
import { chatPath } from '../../route.ts';
import { processActions } from './process-actions.ts';
import { ProcessRow } from './process-row.tsx';

/** All processes, each below the one that made it. One row has the focus; keys move it and act on it. */
export function ProcessTree(): JSX.Element {
  const page = usePage();
  const actions = processActions(page);
  const used = createProcessUsage(page.gsv);
  const [closed, setClosed] = createSignal<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = createSignal<string | null>(null);
  const rows = createMemo(() => treeRows(page.processes, (pid) => !closed().has(pid)));
  const byPid = createMemo(() => new Map(rows().map((row) => [row.process.pid, row])));
  const pids = createMemo(() => rows().map((row) => row.process.pid));
  const focused = (): string | undefined => {
    const pid = current();
    return pid !== null && byPid().has(pid) ? pid : pids()[0];
  };
  const toggle = (pid: string, open: boolean): void => {
    const next = new Set(closed());
    if (open) next.delete(pid);
    else next.add(pid);
    setClosed(next);
  };
  const titleOf = (pid: string): string => {
    const row = page.processes.find((one) => one.pid === pid);
    return row ? `“${processTitle(row)}”` : pid;
  };
  let tree!: HTMLDivElement;
  const focus = (pid: string): void => {
    setCurrent(pid);
    tree.querySelector<HTMLElement>(`[data-pid="${CSS.escape(pid)}"]`)?.focus();
  };
  const act = ({ process, below }: TreeRow, key: string): boolean => {
    if (key === 'Enter') page.router.go(chatPath(process.pid));
    else if (key === ' ' && below.length > 0) toggle(process.pid, closed().has(process.pid));
    else if (key === 's' && isActive(process.state)) void actions.stop(process);
    else if (key === 'r') void actions.reset(process);
    else if (key === 'Delete' && process.profile !== 'init') void actions.end(process);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    const pid = target.dataset.pid;
    const row = pid === undefined ? undefined : byPid().get(pid);
    // A button or a link inside a row has keys of its own.
    if (pid === undefined || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(rows(), pid, event.key);
    if (move === null && !act(row, event.key)) return;
    event.preventDefault();
    if (move === null) return;
    if ('focus' in move) focus(move.focus);
    else toggle(pid, 'open' in move);
  };
  return (
    <div class="rows process-tree" role="tree" aria-label="Processes" ref={tree} onKeyDown={onKeyDown}>
      <For each={pids()}>
        {(pid) => {
          const row = createMemo<TreeRow | undefined>((before) => byPid().get(pid) ?? before);
          const known = row();
          return known === undefined ? null : (
            <ProcessRow
              row={row() ?? known}
              used={used(pid)}
              actions={actions}
              titleOf={titleOf}
              focusable={focused() === pid}
              onFocus={() => setCurrent(pid)}
              onToggle={(open) => toggle(pid, open)}
            />
          );
        }}
      </For>
    </div>
  );
}
