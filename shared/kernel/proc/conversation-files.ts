import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import type { ProcessRow } from '../../state/system.ts';
import { type Credentials, mayCall } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { FsError } from '../fs/fs-error.ts';
import type { DirNode, FileNode, Tree } from '../fs/views/tree.ts';
import { type Lines, textFile } from '../fs/views/view.ts';
import { readArchive } from './archive.ts';
import { shownSegment } from './compaction-handlers.ts';
import type { Conversation } from './conversation.ts';
import { historyMessage } from './export.ts';
import type { Processes } from './processes.ts';

export type ConversationFilesParts = { processes: Processes; fs: FileSystem };

/** The name of the list of segments, which no segment has. */
const INDEX = 'index';

/**
 * `/proc/<pid>/conversations/<id>`: `history` is what is live and `segments/<id>` what was archived, one message a line
 * as `proc.history` gives it; `segments/index` lists those. A part of a history is read as that part alone.
 */
export function conversationFiles({ processes, fs }: ConversationFilesParts) {
  return (row: ProcessRow, caller: Credentials): DirNode | undefined => {
    if (!mayCall(caller, 'proc.history')) return undefined;
    const { uid, gid } = row;
    const dir = (children: DirNode['children']): DirNode => ({ mode: 0o500, uid, gid, children });
    const file = (content: Pick<FileNode, 'read' | 'lines'>): FileNode => ({
      mode: 0o400,
      uid,
      gid,
      ...content,
    });
    const conversation = (id: string): DirNode => {
      const open = () => opened(processes, row, id);
      const segments = async (): Promise<Map<string, Tree>> => {
        const known = segmentsOf(await open());
        const index = known.map((segment) => JSON.stringify(shownSegment(id, segment)));
        const files = known.map((segment) => [segment.id, file(archived(fs, segment))] as const);
        return new Map([...files, [INDEX, file({ read: () => textFile(index.join('\n')) })]]);
      };
      return dir(
        () =>
          new Map<string, Tree>([
            ['history', file(history(open))],
            ['segments', dir(segments)],
          ]),
      );
    };
    return dir(() => {
      const ids = processes.conversations.of(row.pid).map(({ conversationId }) => conversationId);
      return new Map(ids.sort().map((id) => [id, conversation(id)]));
    });
  };
}

async function opened(processes: Processes, row: ProcessRow, id: string): Promise<Conversation> {
  const { conversation } = await processes.open(row, id);
  await conversation.caughtUp();
  return conversation;
}

function segmentsOf({ segments }: Conversation): SegmentRow[] {
  return segments.rows().sort((a, b) => (a.id < b.id ? -1 : 1));
}

const line = (row: MessageRow): string => JSON.stringify(historyMessage(row));
/** Blocks that are not open are read and let go of, however long it all is. */
function history(open: () => Promise<Conversation>): Required<Pick<FileNode, 'read' | 'lines'>> {
  const lines = async (offset: number, limit: number): Promise<Lines> => {
    const { log, count } = await open();
    const rows = await log.slice(offset, limit, (block) => log.peek(block));
    return { lines: rows.map(line), total: count };
  };
  return { lines, read: async () => textFile((await lines(0, Number.POSITIVE_INFINITY)).lines.join('\n')) };
}

function archived(fs: FileSystem, { archivePath }: SegmentRow): Required<Pick<FileNode, 'read' | 'lines'>> {
  const all = async (): Promise<string[]> =>
    (await intact(readArchive(fs, archivePath), archivePath)).map(line);
  return {
    read: async () => textFile((await all()).join('\n')),
    lines: async (offset, limit) => {
      const known = await all();
      return { lines: known.slice(offset, offset + limit), total: known.length };
    },
  };
}

/** An archive is a file of its owner, who may have put anything there. */
async function intact(reading: Promise<MessageRow[]>, path: string): Promise<MessageRow[]> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof FsError) throw thrown;
    throw new FsError('EIO', path, 'this is not an archive any more');
  }
}
