import type { Static } from 'typebox';
import { readAll } from '../../protocol/streams.ts';
import { MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import type { ProcessRow } from '../../state/system.ts';
import { matches } from '../../std/matches.ts';
import type { ArchiveEntry } from '../../syscalls/proc.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { keepMedia } from '../media/keep.ts';
import type { Dialogue } from './dialogue.ts';
import type { ReadLog } from './message-log.ts';

export type Archived = {
  archivedMessages: number;
  archivedTo?: string;
  archives: Static<typeof ArchiveEntry>[];
};
/** What was archived, and how many messages of each writer that is, up to which one, by `<segment>/<writer>`. */
export type Kept = {
  archived: Archived;
  counts: Record<string, number>;
  through: Record<string, number>;
  /** Ids of the first and the last message. */
  range?: readonly [number, number];
};

const MAX_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** Owner reads, nobody else. */
const DIRECTORY_MODE = 0o700;

/**
 * Writes a conversation to `/var/sessions/<user>/<pid>/<archiveId>/<conversation>.gen-<n>.jsonl.gz`, one message a
 * line. Resolves when it is on disk; an empty conversation leaves nothing, nor does one that was reset elsewhere meanwhile.
 */
export async function archive(
  fs: FileSystem,
  process: ProcessRow,
  { conversation, conversationId }: Pick<Dialogue, 'conversation' | 'conversationId'>,
  archiveId: string,
): Promise<Kept> {
  const { log } = conversation;
  const counts = log.counts.cuts.counts();
  const through: Record<string, number> = {};
  const seen: number[] = [];
  const kept = (rows: readonly MessageRow[]) => keepMedia(fs, process, rows);
  const { bytes, count } = await compressed(tallied(log, { counts, through, seen }), kept);
  if (count === 0 || conversation.log !== log)
    return { archived: { archivedMessages: 0, archives: [] }, counts, through };
  const directory = [archiveId];
  const name = `${conversationId}.gen-${log.generation}.jsonl.gz`;
  const path = await store(fs, process, directory, name, bytes);
  const entry = { conversationId, generation: log.generation, messages: count, path };
  const archivedTo = path.slice(0, path.lastIndexOf('/'));
  return {
    archived: { archivedMessages: count, archivedTo, archives: [entry] },
    counts,
    through,
    range: [seen[0] ?? 0, seen.at(-1) ?? 0],
  };
}

/** Writes a segment to `/var/sessions/<user>/<pid>/conversations/<conversation>/<segmentId>.jsonl.gz`. */
export async function archiveSegment(
  fs: FileSystem,
  process: ProcessRow,
  conversationId: string,
  segmentId: string,
  rows: readonly MessageRow[],
): Promise<string> {
  const { bytes } = await compressed([rows], (part) => keepMedia(fs, process, part));
  return store(fs, process, ['conversations', conversationId], `${segmentId}.jsonl.gz`, bytes);
}

/** The messages of an archive, as far as they can be read. */
export async function readArchive(fs: FileSystem, path: string): Promise<MessageRow[]> {
  const packed = await fs.readFile(path, ROOT);
  const gunzip = new DecompressionStream('gzip');
  const unpacked = readAll(gunzip.readable, MAX_ARCHIVE_BYTES);
  const writer = gunzip.writable.getWriter();
  await Promise.all([writer.write(packed), writer.close(), unpacked]);
  const text = new TextDecoder().decode(await unpacked);
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const row: unknown = JSON.parse(line);
    return matches(MessageRow, row) ? [row] : [];
  });
}

/** The conversation, part by part; how many messages of whom it has seen, and which last, stands in the tally, and their ids in `seen`. */
async function* tallied(
  log: ReadLog,
  { counts, through, seen }: Pick<Kept, 'counts' | 'through'> & { seen: number[] },
): AsyncGenerator<readonly MessageRow[]> {
  for await (const { segment, rows } of log.segments()) {
    for (const { id, segmentId } of rows) {
      const key = `${segment}/${placeOf(id).writer}`;
      if (segmentId === undefined) {
        counts[key] = (counts[key] ?? 0) + 1;
        through[key] = Math.max(through[key] ?? 0, id);
      }
      seen.push(id);
    }
    yield rows;
  }
}

/** Resolves with the path when it is on disk. */
async function store(
  fs: FileSystem,
  process: ProcessRow,
  below: readonly string[],
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const owned = [`/var/sessions/${process.username}`];
  for (const part of [process.pid, ...below]) owned.push(`${owned.at(-1)}/${part}`);
  const directory = owned.at(-1) ?? '';
  const path = `${directory}/${name}`;
  // Replicas that archive apart make the same directories.
  await fs.mkdir(directory, { ...ROOT, onEveryReplica: true }, { recursive: true });
  await fs.writeFile(path, bytes, ROOT);
  for (const one of owned) {
    await fs.chmod(one, DIRECTORY_MODE, ROOT);
    await fs.chown(one, process, ROOT);
  }
  await fs.chown(path, process, ROOT);
  await fs.durable();
  return path;
}

type Parts = AsyncIterable<readonly MessageRow[]> | Iterable<readonly MessageRow[]>;

async function compressed(parts: Parts, kept: (rows: readonly MessageRow[]) => Promise<MessageRow[]>) {
  const gzip = new CompressionStream('gzip');
  const bytes = readAll(gzip.readable, MAX_ARCHIVE_BYTES);
  const writer = gzip.writable.getWriter();
  const encoder = new TextEncoder();
  let count = 0;
  for await (const rows of parts) {
    count += rows.length;
    const lines = await kept(rows);
    await writer.write(encoder.encode(lines.map((row) => `${JSON.stringify(row)}\n`).join('')));
  }
  await writer.close();
  return { bytes: await bytes, count };
}
