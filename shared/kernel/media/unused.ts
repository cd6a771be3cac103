import type { MessageRow } from '../../state/conversation.ts';
import type { ProcessRow } from '../../state/system.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Conversation } from '../proc/conversation.ts';
import type { Processes } from '../proc/processes.ts';
import { mediaDirectory } from './place.ts';

export type UnusedParts = { fs: FileSystem; processes: Processes };
type Content = Pick<MessageRow, 'content'>;

/** Files of a process that a conversation refers to; null when not all of it is here. */
export async function mediaOf(
  fs: FileSystem,
  row: ProcessRow,
  { log }: Conversation,
): Promise<Set<string> | null> {
  const own = `${mediaDirectory(row)}/`;
  const found = new Set<string>();
  if (!(await fs.exists(own, ROOT))) return found;
  for (const block of log.numbers()) {
    const rows = await log.peek(block);
    if (rows.length < log.sizeOf(block)) return null;
    for (const path of rows.flatMap(pathsOf)) if (path.startsWith(own)) found.add(path);
  }
  return found;
}

/**
 * Drops those of these files that no conversation of the process refers to any more, when all of them can be read. It
 * reads long ones block by block, so that nobody waits for it. Resolves when that is on disk.
 */
export async function dropUnused(
  { fs, processes }: UnusedParts,
  row: ProcessRow,
  paths: ReadonlySet<string>,
): Promise<void> {
  const unused = new Set(paths);
  for (const { conversationId } of processes.conversations.of(row.pid)) {
    if (unused.size === 0) return;
    const { conversation } = await processes.open(row, conversationId);
    await conversation.caughtUp();
    const used = await mediaOf(fs, row, conversation);
    if (!used) return;
    const queued = conversation.queue.rows().flatMap(({ media = [] }) => media.map(({ path }) => path));
    for (const path of [...used, ...queued]) unused.delete(path);
  }
  for (const path of unused) await fs.rm(path, ROOT, { force: true });
  await fs.durable();
}

const pathsOf = ({ content }: Content): string[] =>
  content.flatMap((block) => (block.type === 'media' ? [block.path] : []));
