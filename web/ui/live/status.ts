import { type Accessor, createEffect, createMemo, createSignal } from 'solid-js';
import type { Result } from '../../../shared/syscalls/table.ts';
import type { Gsv } from '../../client/gsv.ts';
import { clockTime } from '../parts/words.ts';
import { createRows } from './rows.ts';

export type Status = Result<'sys.status'>;

export function createStatus(gsv: Gsv): Accessor<Status | undefined> {
  const view = createRows<Status>(gsv, () => ({ view: 'status' }));
  return createMemo(() => view.rows().get('status'));
}

/** When the link to the server was last seen to break, for as long as it is broken. */
export function createOfflineSince(status: Accessor<Status | undefined>): Accessor<number | null> {
  const [since, setSince] = createSignal<number | null>(null);
  createEffect(() => {
    const broken = status()?.link === 'offline';
    setSince((known) => (broken ? (known ?? Date.now()) : null));
  });
  return since;
}

export type SyncWords = { text: string; detail: string; tone: 'good' | 'busy' | 'bad' | 'off' };

/** Says how this browser stands with its server, and never more than is known. */
export function syncWords(status: Status | undefined, offlineSince: number | null, now: number): SyncWords {
  if (status === undefined) return { text: 'starting', detail: 'The kernel is starting.', tone: 'busy' };
  const waiting = changes(status.waiting);
  switch (status.link) {
    case 'alone':
      return {
        text: 'on its own',
        detail: 'This browser works by itself. It has not joined a server.',
        tone: 'off',
      };
    case 'connecting':
      return { text: 'connecting', detail: waiting ?? 'Looking for the server.', tone: 'busy' };
    case 'online':
      return waiting === null
        ? { text: 'synced', detail: 'The server has every change.', tone: 'good' }
        : {
            text: waiting,
            detail: 'These changes are safe here and on their way to the server.',
            tone: 'busy',
          };
    case 'refused':
      return {
        text: 'refused',
        detail: status.linkReason ?? 'The server does not accept this browser.',
        tone: 'bad',
      };
    case 'offline':
      return {
        text: offlineFor(offlineSince, now),
        detail:
          [status.linkReason, waiting === null ? null : `${waiting}; they are safe here.`]
            .filter(Boolean)
            .join(' ') || 'The server cannot be reached. Everything is kept here.',
        tone: 'bad',
      };
  }
}

const MINUTE = 60_000;

function offlineFor(since: number | null, now: number): string {
  if (since === null || now - since < MINUTE) return 'offline';
  const long = now - since >= 60 * MINUTE;
  return `offline ${long ? 'since' : 'for'} ${clockTime(since, now)}`;
}

function changes(count: number): string | null {
  if (count === 0) return null;
  return count === 1 ? '1 change waiting' : `${count} changes waiting`;
}
