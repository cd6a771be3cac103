import { SyscallError } from '../../protocol/errors.ts';
import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { Random } from '../../std/random.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { archiveSegment, type Kept } from './archive.ts';
import type { Conversation } from './conversation.ts';
import type { Cuts } from './cuts.ts';
import { segmentOf } from './log-segments.ts';

/** Which messages are archived: all but so many of the newest, or those until one. */
export type Selector = { keepLast: number } | { throughMessageId: number };

export type CompactionParts = {
  fs: FileSystem;
  process: ProcessRow;
  conversationId: string;
  conversation: Conversation;
  now: number;
  id: string;
};

type Summarise = (rows: readonly MessageRow[]) => Promise<string>;

/**
 * Archives the beginning of a conversation and puts one summary in its place. The archive is on disk first. It needs no
 * lease: what other replicas write meanwhile, or compact, comes together with it. Rejects with 400 when there is nothing
 * to archive, and with 409 when something else has archived it while the summary was made.
 */
export async function compact(
  parts: CompactionParts,
  selector: Selector,
  summarise: Summarise,
): Promise<SegmentRow> {
  const { conversation } = parts;
  const all = await allOf(conversation);
  const rows = all.slice(0, cutOf(all, selector));
  const newest = all.at(-1);
  const only = rows.length === 1 && rows[0]?.note === 'summary';
  if (rows.length === 0 || !newest || only) throw new SyscallError(400, 'There is nothing to compact');
  const summary = (await summarise(rows)).trim();
  if (summary === '') throw new SyscallError(400, 'The summary is empty');
  return conversation.archiving.take(() => cutOff(parts, rows, newest.id, summary));
}

async function cutOff(
  { fs, process, conversationId, conversation, now, id }: CompactionParts,
  rows: readonly MessageRow[],
  liveThrough: number,
  summary: string,
): Promise<SegmentRow> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || !(await isLive(conversation, rows)))
    throw new SyscallError(409, 'It was archived by something else meanwhile');
  const archivePath = await archiveSegment(fs, process, conversationId, id, rows);
  const segment: SegmentRow = {
    id,
    kind: 'compaction',
    generation: first.generation,
    fromMessageId: first.id,
    toMessageId: last.id,
    liveThrough,
    messages: rows.length,
    archivePath,
    summary: markerText(rows.length, archivePath, summary),
    dropped: dropped(rows, conversation),
    createdAt: now,
  };
  await conversation.cut(rows, segment);
  await conversation.flush();
  return segment;
}

async function isLive(conversation: Conversation, rows: readonly MessageRow[]): Promise<boolean> {
  if (rows.some(({ generation }) => generation !== conversation.generation)) return false;
  // A summary has the id of the last message that it stands for.
  const nameOf = ({ id, segmentId = '' }: MessageRow): string => `${id} ${segmentId}`;
  const live = new Set((await allOf(conversation)).map(nameOf));
  return rows.every((row) => live.has(nameOf(row)));
}

/** What a reset archived, as a segment. Null when there was nothing. */
export function endedGeneration({ archived, range }: Kept, now: number, id: string): SegmentRow | null {
  const [entry] = archived.archives;
  if (!entry || !range) return null;
  const [fromMessageId, toMessageId] = range;
  const { generation, messages, path: archivePath } = entry;
  const about = { id, kind: 'reset' as const, generation, fromMessageId, toMessageId, messages, archivePath };
  return { ...about, liveThrough: toMessageId, summary: '', dropped: {}, createdAt: now };
}

/** Sortable by time, and unique. */
export function segmentId(now: number, random: Random): string {
  const at = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  return `${at}-${random.uuid().slice(0, 8)}`;
}

export async function allOf(conversation: Conversation): Promise<MessageRow[]> {
  const all: MessageRow[] = [];
  for await (const { rows } of conversation.log.segments()) all.push(...rows);
  return all;
}

/** How many of the first messages go. A call and its results stay together. */
export function cutOf(rows: readonly MessageRow[], selector: Selector): number {
  const wanted =
    'keepLast' in selector
      ? rows.length - selector.keepLast
      : rows.findLastIndex(({ id }) => id <= selector.throughMessageId) + 1;
  let cut = Math.max(0, wanted);
  while (cut > 0 && !isWhole(rows, cut)) cut -= 1;
  return cut;
}

/** Whether each call of the last message before `cut` that made some has its result before it, too. */
export function isWhole(rows: readonly MessageRow[], cut: number): boolean {
  if (rows[cut]?.role === 'toolResult') return false;
  let at = cut - 1;
  const results = new Set<string>();
  for (; rows[at]?.role === 'toolResult'; at -= 1) results.add(rows[at]?.toolCallId ?? '');
  const calls = rows[at]?.role === 'assistant' ? (rows[at]?.content ?? []) : [];
  return calls.every((block) => block.type !== 'toolCall' || results.has(block.id));
}

function markerText(count: number, path: string, summary: string): string {
  return `${count} earlier messages were archived at ${path} and are summarised here.\n\n${summary}`;
}

/** What is archived when these are, with what stands behind the summaries among them. */
function dropped(rows: readonly MessageRow[], { log, segments }: Conversation): SegmentRow['dropped'] {
  const all: SegmentRow['dropped'] = {};
  for (const { segmentId } of rows)
    Object.assign(all, segmentId ? further(all, segments.get(segmentId)) : {});
  for (const { id, segmentId } of rows) {
    if (segmentId !== undefined) continue;
    const key = `${segmentOf(placeOf(id).base)}/${placeOf(id).writer}`;
    const known = all[key] ?? knownOf(log.counts.cuts, id);
    all[key] = { through: id, count: known.count + 1 };
  }
  return all;
}

const knownOf = (cuts: Cuts, id: number) => cuts.of(segmentOf(placeOf(id).base), placeOf(id).writer);

function further(all: SegmentRow['dropped'], row: SegmentRow | undefined): SegmentRow['dropped'] {
  const known = Object.entries(row?.dropped ?? {});
  return Object.fromEntries(known.filter(([key, { through }]) => through > (all[key]?.through ?? 0)));
}
