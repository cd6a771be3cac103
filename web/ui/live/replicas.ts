import { type Accessor, createEffect } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { Replica } from '../../../shared/syscalls/sys.ts';
import type { Gsv } from '../../client/gsv.ts';
import { bytes, clockTime } from '../parts/words.ts';
import { createRows } from './rows.ts';

/** A browser that holds a copy of this GSV. */
export type LiveReplica = Replica;
export type ReplicaState = 'online' | 'offline' | 'shut out';

/** The browsers of this GSV: this one first, then by when they joined, those that were shut out last. */
export function createReplicas(gsv: Gsv): { list: LiveReplica[]; ready: Accessor<boolean> } {
  const view = createRows<LiveReplica>(gsv, () => ({ view: 'replicas' }));
  const [store, setStore] = createStore<{ list: LiveReplica[] }>({ list: [] });
  createEffect(() => {
    setStore('list', reconcile([...view.rows().values()].sort(byPlace), { key: 'replicaId' }));
  });
  return {
    get list() {
      return store.list;
    },
    ready: view.ready,
  };
}

function byPlace(a: LiveReplica, b: LiveReplica): number {
  return (
    Number(a.revokedAt !== null) - Number(b.revokedAt !== null) ||
    Number(b.here) - Number(a.here) ||
    a.joinedAt - b.joinedAt ||
    a.replicaId.localeCompare(b.replicaId)
  );
}

export function replicaState(row: Pick<LiveReplica, 'revokedAt' | 'online'>): ReplicaState {
  if (row.revokedAt !== null) return 'shut out';
  return row.online ? 'online' : 'offline';
}

/** Where it is, when it was last there, and what it stores. What is not known is left out. */
export function replicaWords(row: LiveReplica, linkOnline: boolean, now: number): string {
  return [presence(row, linkOnline, now), platformOf(row), storage(row)]
    .filter((part) => part !== '')
    .join(' · ');
}

function presence(row: LiveReplica, linkOnline: boolean, now: number): string {
  if (row.revokedAt !== null) return `shut out ${clockTime(row.revokedAt, now)}`;
  if (row.here) return 'this browser';
  if (row.online) return 'online';
  const seen = row.lastSeenAt === null ? '' : `last seen ${clockTime(row.lastSeenAt, now)}`;
  // Who else is there is the server's knowledge: without it nothing is said of now.
  if (!linkOnline) return seen === '' ? 'not known while offline' : seen;
  return seen === '' ? 'never connected' : `offline, ${seen}`;
}

/** A browser that nobody has named is called by its platform, which need not be said twice. */
function platformOf({ platform, name }: LiveReplica): string {
  return platform === name ? '' : platform;
}

function storage(row: LiveReplica): string {
  return row.storage === null || row.revokedAt !== null ? '' : `stores ${bytes(row.storage)}`;
}

/** The browser that came after an invitation was made; undefined while none has. */
export function newcomer(rows: readonly LiveReplica[], before: ReadonlySet<string>): LiveReplica | undefined {
  return rows.find((row) => !before.has(row.replicaId) && row.revokedAt === null);
}
