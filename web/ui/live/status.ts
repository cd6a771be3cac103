import { type Accessor, createMemo } from 'solid-js';
import type { Result } from '../../../shared/syscalls/table.ts';
import type { Gsv } from '../../client/gsv.ts';
import { momentOfDay, sentences } from '../parts/words.ts';
import { createRows } from './rows.ts';

export type Status = Result<'sys.status'>;

export function createStatus(gsv: Gsv): Accessor<Status | undefined> {
  const view = createRows<Status>(gsv, () => ({ view: 'status' }));
  return createMemo(() => view.rows().get('status'));
}

export type SyncWords = {
  text: string;
  detail: string;
  tone: 'good' | 'busy' | 'bad' | 'off';
  /** Whether asking the server once more may help. */
  again: boolean;
};

const kept = 'Everything is kept in this browser.';

/** Says how this browser stands with its server, and never more than is known. */
export function syncWords(status: Status | undefined, now: number): SyncWords {
  if (status === undefined)
    return { text: 'Starting', detail: 'GSV is starting in this browser.', tone: 'busy', again: false };
  if (status.locked) return shutOutWords;
  const waiting = changes(status.waiting);
  const { linkReason, linkSince } = status;
  switch (status.link) {
    case 'alone':
      return aloneWords;
    case 'connecting':
      return { text: 'Connecting', detail: 'Looking for the server.', tone: 'busy', again: true };
    case 'online':
      return waiting === null ? syncedWords : waitingWords(waiting, linkReason);
    case 'refused':
      return {
        text: `This server refused${linkReason === null ? '' : `: ${linkReason}`}`,
        detail: sentences('The server does not let this browser in.', linkReason, kept),
        tone: 'bad',
        again: true,
      };
    case 'offline':
      return {
        text: linkSince === null ? 'Offline' : `Offline since ${momentOfDay(linkSince, now)}`,
        detail: sentences('The server cannot be reached.', linkReason, waitingHere(waiting)),
        tone: 'bad',
        again: true,
      };
  }
}

const shutOutWords: SyncWords = {
  text: 'Shut out',
  detail:
    'This browser was shut out of its GSV. What is stored here can be read; it gets no changes, and sends none.',
  tone: 'bad',
  again: false,
};
const aloneWords: SyncWords = {
  text: 'Only on this device',
  detail: 'This browser works by itself. It has not joined a server, so nothing of this is anywhere else.',
  tone: 'off',
  again: false,
};
const syncedWords: SyncWords = {
  text: 'Synced',
  detail: 'The server has every change.',
  tone: 'good',
  again: false,
};

/** `problem`: why the server does not take them. */
function waitingWords(waiting: string, problem: string | null): SyncWords {
  if (problem === null) {
    const detail = 'They are safe here, and on their way to the server.';
    return { text: waiting, detail, tone: 'busy', again: false };
  }
  const detail = sentences(problem, 'What waits is safe here, and is tried again.');
  return { text: waiting, detail, tone: 'bad', again: false };
}

function waitingHere(waiting: string | null): string {
  return waiting === null ? kept : `${waiting}; nothing is lost, it is kept in this browser.`;
}

function changes(count: number): string | null {
  if (count === 0) return null;
  return count === 1 ? '1 change waiting' : `${count} changes waiting`;
}
