import type { Static } from 'typebox';
import { readAll } from '../../protocol/streams.ts';
import type { MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { ArchiveEntry } from '../../syscalls/proc.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { keepMedia } from '../media/keep.ts';
import type { Conversation } from './conversation.ts';
import type { Dialogue } from './dialogue.ts';

export type Archived = {
  archivedMessages: number;
  archivedTo?: string;
  archives: Static<typeof ArchiveEntry>[];
};
/** What was archived, and how many messages of each writer that is, by `<segment>/<writer>`. */
export type Kept = { archived: Archived; counts: Record<string, number> };

const MAX_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** Owner reads, nobody else. */
const DIRECTORY_MODE = 0o700;

/**
 * Writes a conversation to `/var/sessions/<user>/<pid>/<archiveId>/<conversation>.gen-<n>.jsonl.gz`, one message a
 * line. Resolves when it is on disk; an empty conversation leaves nothing.
 */
export async function archive(
  fs: FileSystem,
  process: ProcessRow,
  { conversation, conversationId }: Pick<Dialogue, 'conversation' | 'conversationId'>,
  archiveId: string,
): Promise<Kept> {
  const kept = (rows: readonly MessageRow[]) => keepMedia(fs, process, rows);
  const { bytes, count, counts } = await compressed(conversation, kept);
  if (count === 0) return { archived: { archivedMessages: 0, archives: [] }, counts };
  const all = `/var/sessions/${process.username}/${process.pid}`;
  const directory = `${all}/${archiveId}`;
  const path = `${directory}/${conversationId}.gen-${conversation.generation}.jsonl.gz`;
  // Of resets made apart, each made this one: they are the same.
  await fs.mkdir(all, { ...ROOT, onEveryReplica: true }, { recursive: true });
  await fs.mkdir(directory, ROOT, { recursive: true });
  await fs.writeFile(path, bytes, ROOT);
  for (const owned of [`/var/sessions/${process.username}`, all, directory]) {
    await fs.chmod(owned, DIRECTORY_MODE, ROOT);
    await fs.chown(owned, process, ROOT);
  }
  await fs.chown(path, process, ROOT);
  await fs.durable();
  const entry = {
    conversationId,
    generation: conversation.generation,
    messages: count,
    path,
  };
  return { archived: { archivedMessages: count, archivedTo: directory, archives: [entry] }, counts };
}

async function compressed(
  conversation: Conversation,
  kept: (rows: readonly MessageRow[]) => Promise<MessageRow[]>,
) {
  const gzip = new CompressionStream('gzip');
  const bytes = readAll(gzip.readable, MAX_ARCHIVE_BYTES);
  const writer = gzip.writable.getWriter();
  const encoder = new TextEncoder();
  const counts: Record<string, number> = {};
  let count = 0;
  for await (const { segment, rows } of conversation.log.segments()) {
    count += rows.length;
    for (const { id } of rows) {
      const key = `${segment}/${placeOf(id).writer}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    const lines = await kept(rows);
    await writer.write(encoder.encode(lines.map((row) => `${JSON.stringify(row)}\n`).join('')));
  }
  await writer.close();
  return { bytes: await bytes, count, counts };
}
