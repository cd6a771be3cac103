import * as Y from 'yjs';
import { MessageRow } from '../../state/conversation.ts';
import { isBaseAlone } from '../../state/message-id.ts';
import { Table } from '../../state/table.ts';
import type { Documents } from '../documents.ts';
import { LogCounts } from './log-counts.ts';
import { SEGMENT_SIZE, segmentOf } from './log-segments.ts';

/** The one writer of conversations of older versions: the founder. */
const FOUNDER = 0;
const RUN_KEYS = ['run', 'hil', 'partial'];

type Upgraded = { documents: Documents; state: Y.Doc; prefix: string; generation: number; firstBase: number };

/**
 * Brings a conversation of a version that knew one replica only up to date: counts what its segments hold, and makes
 * the run that was going on `owner`'s. Messages stay as they are: an old id is a base. Done before, it changes nothing.
 */
export async function upgrade(owner: string, conversation: Upgraded): Promise<void> {
  await countMessages(conversation);
  ownRun(conversation.state, owner);
}

async function countMessages({ documents, state, prefix, generation, firstBase }: Upgraded): Promise<void> {
  const counts = new LogCounts(state, generation, () => {});
  counts.close();
  if (counts.total > 0) return;
  const newest = (await documents.names(`${prefix}g${generation}/`)).at(-1);
  if (newest === undefined) return;
  const rows = new Table(await documents.open(newest), 'messages', MessageRow).rows();
  await documents.close(newest);
  // Messages of this version may be here before the state that counts them.
  const old = rows.filter(({ id }) => isBaseAlone(id));
  const lastId = old.reduce((last, { id }) => Math.max(last, id), firstBase - 1);
  Y.transact(state, () => {
    for (let n = segmentOf(firstBase); firstBase <= lastId && n <= segmentOf(lastId); n += 1) {
      const from = Math.max(firstBase, n * SEGMENT_SIZE + 1);
      const to = Math.min(lastId, (n + 1) * SEGMENT_SIZE);
      counts.put(n, FOUNDER, { count: to - from + 1, end: to + 1 });
    }
  });
}

/** Rows of a run had no owner in their key. */
function ownRun(state: Y.Doc, owner: string): void {
  const map = state.getMap('state');
  const old = RUN_KEYS.filter((key) => map.has(key));
  if (old.length === 0) return;
  Y.transact(state, () => {
    for (const key of old) {
      const row = map.get(key) as Record<string, unknown>;
      map.set(`${key}/${owner}`, key === 'run' ? { ...row, owner, epoch: null } : row);
      map.delete(key);
    }
    const results = state.getMap('results');
    for (const [callId, row] of [...results.entries()]) {
      results.set(`${owner}/${callId}`, row);
      results.delete(callId);
    }
  });
}
