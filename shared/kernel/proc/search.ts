import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { readArchive } from './archive.ts';
import type { Conversation } from './conversation.ts';
import type { SearchIndex } from './search-index.ts';
import { hasAll, snippet, textOf } from './search-words.ts';

export type Found = { row: MessageRow; segment: SegmentRow | null; snippet: string };
export type Searched = { index: SearchIndex; fs: FileSystem; conversation: Conversation };

/** What is found of a conversation, the newest first: what is live, then what is archived. */
export async function* search(
  { index, fs, conversation }: Searched,
  words: readonly string[],
): AsyncGenerator<Found> {
  const { log, prefix, generation } = conversation;
  const live = log.numbers().map((n) => `${prefix}g${generation}/${n}`);
  const segments = conversation.segments.rows().sort((a, b) => (a.id < b.id ? 1 : -1));
  const archives = segments.map(({ id }) => `${prefix}archive/${id}`);
  await index.keepOnly(prefix, new Set([...live, ...archives]));
  for (const n of log.numbers().reverse()) {
    const key = `${prefix}g${generation}/${n}`;
    if (!(await index.wants(key, log.sizeOf(n), words))) continue;
    const rows = await log.peek(n);
    await index.note(key, rows);
    yield* matching(rows, words, null);
  }
  for (const segment of segments) {
    const key = `${prefix}archive/${segment.id}`;
    if (!(await index.wants(key, segment.messages, words))) continue;
    const rows = await readArchive(fs, segment.archivePath).catch(() => null);
    if (rows === null) continue;
    await index.note(key, rows);
    yield* matching(rows, words, segment);
  }
}

function* matching(
  rows: readonly MessageRow[],
  words: readonly string[],
  segment: SegmentRow | null,
): Generator<Found> {
  for (const row of [...rows].reverse()) {
    // The summary of a compaction is no message of anybody.
    if (segment !== null && row.segmentId !== undefined) continue;
    const text = textOf(row);
    if (hasAll(text, words)) yield { row, segment, snippet: snippet(text, words) };
  }
}
