import { SyscallError } from '../../protocol/errors.ts';
import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { readArchive } from './archive.ts';
import { allOf, isWhole } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import type { NewMessage } from './message-log.ts';

/** Messages that are written at once. */
const STEP = 200;

/** A conversation through a message. A call and its results stay together: those of the last one come along. */
export async function throughMessage(conversation: Conversation, messageId: number): Promise<MessageRow[]> {
  const rows = await allOf(conversation);
  const at = rows.findIndex(({ id }) => id === messageId);
  if (at < 0) throw new SyscallError(404, 'There is no such message in this conversation');
  let end = at + 1;
  while (rows[end]?.role === 'toolResult') end += 1;
  while (end > 0 && !isWhole(rows, end)) end -= 1;
  return rows.slice(0, end);
}

/** What a segment holds, and with `suffix` what followed it when it was archived, wherever that is now. */
export async function ofSegment(
  fs: FileSystem,
  conversation: Conversation,
  segment: SegmentRow,
  suffix: boolean,
): Promise<MessageRow[]> {
  const held = await readArchive(fs, segment.archivePath);
  if (!suffix || segment.kind === 'reset') return held;
  const later = conversation.segments
    .rows()
    .filter(({ id, generation }) => id > segment.id && generation === segment.generation);
  const archived = await Promise.all(later.map(({ archivePath }) => readArchive(fs, archivePath)));
  const live = segment.generation === conversation.generation ? await allOf(conversation) : [];
  const known = new Map<number, MessageRow>();
  for (const row of [...archived.flat(), ...live]) {
    const followed = row.id > segment.toMessageId && row.id <= segment.liveThrough;
    if (followed && row.segmentId === undefined) known.set(row.id, row);
  }
  return [...held, ...[...known.values()].sort((a, b) => a.id - b.id)];
}

/** Writes copies of messages to another conversation, under ids of its own. */
export async function copyInto(target: Conversation, rows: readonly MessageRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += STEP) await target.append(rows.slice(at, at + STEP).map(copyOf));
}

function copyOf({
  id: _id,
  generation: _generation,
  segmentId: _segment,
  ...message
}: MessageRow): NewMessage {
  return message;
}
