import type { MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import type { LogParts } from './log-parts.ts';
import type { Block } from './log-rows.ts';
import { segmentName, segmentOf } from './log-segments.ts';
import type { MessageLog, NewMessage } from './message-log.ts';

type Log = Pick<MessageLog, 'counts' | 'held' | 'numbers' | 'peek'>;

/**
 * The newest block of this replica, with which a run that was cut off goes on; null when these messages begin one. A
 * kernel that was killed may have sent what it had not yet on disk: what the room has is waited for, and `unsure` is the
 * answer where that cannot be.
 */
export async function ownBlock(
  log: Log,
  parts: LogParts,
  messages: readonly NewMessage[],
): Promise<Block | null | 'unsure'> {
  const { writer, caughtUp, prefix, generation } = parts;
  if (!(await caughtUp(`${prefix}state`))) return 'unsure';
  const newest = log.counts.newestOf(writer);
  if (newest === undefined) return null;
  const rows = await log.held(newest);
  if (!(await caughtUp(segmentName(prefix, generation, newest)))) return null;
  const own = rows.filter((row) => placeOf(row.id).writer === writer);
  recount(log, parts, newest, own.length);
  const last = own.at(-1);
  if (!last || !messages.some(({ runId }) => runId === last.runId)) return null;
  if (await wentOnElsewhere(log, writer, last)) return null;
  const { base, place } = placeOf(last.id);
  return { runId: last.runId, base, next: place + 1 };
}

/** The kernel may have been killed between counting and writing. */
function recount({ counts }: Log, { writer }: LogParts, segment: number, here: number): void {
  const counted = counts.by(segment, writer);
  const count = counts.cuts.of(segment, writer).count + here;
  if (counted && counted.count > count) counts.put(segment, writer, { ...counted, count });
}

/** Whether another replica has had the run since: what comes next stands behind what it wrote. */
async function wentOnElsewhere(log: Log, writer: number, { id, runId }: MessageRow): Promise<boolean> {
  if (runId === null || !log.counts.hasOthers(writer)) return false;
  const later = log.numbers().filter((n) => n >= segmentOf(placeOf(id).base));
  const rows = (await Promise.all(later.map((n) => log.peek(n)))).flat();
  return rows.some((row) => row.id > id && row.runId === runId && placeOf(row.id).writer !== writer);
}
