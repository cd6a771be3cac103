import type { ArchivedRow, MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import { callsIn } from './log-rows.ts';
import type { MessageLog } from './message-log.ts';

export type LeftParts = {
  /** The generation that a reset elsewhere ended. */
  old: MessageLog;
  /** This replica's number. */
  writer: number;
  /** What the reset had archived of it. */
  known: ArchivedRow;
  /** Calls of this replica's run whose results are still to come. */
  calls: ReadonlySet<string>;
};

/**
 * What this replica has written of a generation beyond what was archived, in order. Each result comes with the message
 * that made its call, and so does each call whose result is to come: a copy where another replica wrote that message,
 * which may bring it, too, and then one of the two is taken back as a twin.
 */
export async function leftMessages(parts: LeftParts): Promise<MessageRow[]> {
  const own = await beyond(parts);
  const made = new Set(own.flatMap(callsIn));
  const results = own.flatMap(({ toolCallId }) => toolCallId ?? []);
  const missing = new Set([...results, ...parts.calls].filter((call) => !made.has(call)));
  const rows = [...own];
  for (const maker of await makersOf(parts, missing)) {
    const calls = callsIn(maker);
    const first = rows.findIndex(({ toolCallId = '' }) => calls.includes(toolCallId));
    rows.splice(first < 0 ? rows.length : first, 0, maker);
  }
  return rows;
}

async function beyond({ old, writer, known, calls }: LeftParts): Promise<MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const n of segments(old, calls.size > 0 ? known.counts : {})) {
    const own = (await old.held(n)).filter(({ id }) => placeOf(id).writer === writer);
    let from = archivedOf(own, { old, writer, known }, n);
    const calling = own.findIndex((row) => callsIn(row).some((call) => calls.has(call)));
    if (calling >= 0) from = Math.min(from, calling);
    while (from > 0 && own[from]?.role === 'toolResult') from -= 1;
    rows.push(...own.slice(from));
  }
  return rows;
}

/** How many of these were archived. By their ids: of those that were, some may have been taken back since, as twins. */
function archivedOf(
  own: readonly MessageRow[],
  { old, writer, known }: Pick<LeftParts, 'old' | 'writer' | 'known'>,
  n: number,
): number {
  const key = `${n}/${writer}`;
  if (known.through) return own.filter(({ id }) => id <= (known.through?.[key] ?? 0)).length;
  const gone = old.counts.cuts.of(n, writer).count;
  return Math.min(Math.max(0, (known.counts[key] ?? 0) - gone), own.length);
}

/** Messages of anybody that made these calls, in order, as far as they are here. */
async function makersOf({ old, known }: LeftParts, calls: ReadonlySet<string>): Promise<MessageRow[]> {
  const missing = new Set(calls);
  const makers: MessageRow[] = [];
  for (const n of segments(old, known.counts).reverse()) {
    if (missing.size === 0) break;
    const found = (await old.held(n)).filter((row) => callsIn(row).some((call) => missing.has(call)));
    makers.unshift(...found);
    for (const call of found.flatMap(callsIn)) missing.delete(call);
  }
  return makers;
}

/** Those that are counted, and those that were when it was archived. */
function segments(old: MessageLog, counts: ArchivedRow['counts']): number[] {
  const archived = Object.keys(counts).map((key) => Number.parseInt(key, 10));
  return [...new Set([...old.numbers(), ...archived])].sort((a, b) => a - b);
}
