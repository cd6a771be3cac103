import { SyscallError } from '../../protocol/errors.ts';
import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { FileSystem } from '../fs/file-system.ts';

export type Checkpoint = {
  conversationId: string;
  messages: readonly MessageRow[];
  segments: readonly SegmentRow[];
  summary: string | null;
};

/** Writes what a later agent needs to go on into the workspace of a process. Resolves with the paths, on disk. */
export async function checkpoint(
  fs: FileSystem,
  process: ProcessRow,
  { conversationId, messages, segments, summary }: Checkpoint,
): Promise<string[]> {
  if (process.workspaceId === null) throw new SyscallError(400, 'This process has no workspace');
  const root = `/workspaces/${process.workspaceId}/.gsv`;
  const directory = `${root}/processes/${process.pid}/conversations/${conversationId}`;
  await fs.mkdir(directory, process, { recursive: true });
  const files: [string, string][] = [
    [`${directory}/chat.jsonl`, lines(messages)],
    [`${directory}/segments.jsonl`, lines(segments)],
  ];
  if (summary !== null) files.push([`${root}/summary.md`, `${summary.trim()}\n`]);
  for (const [path, text] of files) await fs.writeFile(path, new TextEncoder().encode(text), process);
  await fs.durable();
  return files.map(([path]) => path);
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
