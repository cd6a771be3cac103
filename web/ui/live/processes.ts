import { type Accessor, createMemo } from 'solid-js';
import type { ProcessRow } from '../../../shared/state/system.ts';
import type { Gsv } from '../../client/gsv.ts';
import { createRows } from './rows.ts';

/** `waitsFor`: the processes whose answers it waits for. */
export type LiveProcess = ProcessRow & { waitsFor?: string[] };
export type ProcessGroup = { title: 'Running' | 'Waiting for you' | 'Recent'; processes: LiveProcess[] };

/**
 * The processes that are not killed, most recently changed first. Rows are plain and replaced when
 * they change: with a thousand of them, making each one watchable would take longer than all the rest.
 */
export function createProcesses(gsv: Gsv): {
  list: Accessor<readonly LiveProcess[]>;
  ready: Accessor<boolean>;
} {
  const view = createRows<LiveProcess>(gsv, () => ({ view: 'processes' }));
  const list = createMemo(() =>
    [...view.rows().values()].filter((row) => row.state !== 'killed').sort(byRecency),
  );
  return { list, ready: view.ready };
}

function byRecency(a: LiveProcess, b: LiveProcess): number {
  return b.updatedAt - a.updatedAt || a.pid.localeCompare(b.pid);
}

/** As the rail shows them; empty groups are left out. */
export function groupProcesses(processes: readonly LiveProcess[]): ProcessGroup[] {
  const running = processes.filter((row) => row.state === 'running');
  const waiting = processes.filter((row) => row.state === 'waiting');
  const recent = processes.filter((row) => row.state === 'idle' || row.state === 'error');
  const groups: ProcessGroup[] = [
    { title: 'Running', processes: running },
    { title: 'Waiting for you', processes: waiting },
    { title: 'Recent', processes: recent },
  ];
  return groups.filter((group) => group.processes.length > 0);
}

/** What a person calls a process. */
export function processTitle(row: Pick<LiveProcess, 'label' | 'profile' | 'pid'>): string {
  if (row.label !== null && row.label.trim() !== '') return row.label;
  if (row.profile === 'init') return 'Home';
  const name = row.profile.split('#').at(-1) ?? row.profile;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${row.pid.split(':').at(-1)?.slice(0, 6) ?? ''}`.trim();
}

/** The line below the title: what it does now, or that it has nothing to do. */
export function processActivity(row: Pick<LiveProcess, 'state' | 'activity' | 'queuedCount'>): string {
  const words = {
    running: 'working',
    waiting: 'asks before it goes on',
    error: 'stopped by an error',
    idle: 'idle',
    killed: 'ended',
  };
  const doing = row.activity ?? words[row.state];
  return row.queuedCount > 0 ? `${doing} · ${row.queuedCount} queued` : doing;
}
