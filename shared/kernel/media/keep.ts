import type { Block, MessageRow } from '../../state/conversation.ts';
import { copy } from '../fs/copy.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { keptDirectory, type MediaOwner, mediaDirectory, ownDirectory } from './place.ts';

/**
 * Messages as an archive keeps them: what they refer to is kept beside the archives, under the same name, and the
 * messages say where. The contents are the same blobs; nothing is copied but names.
 */
export async function keepMedia(
  fs: FileSystem,
  owner: MediaOwner,
  rows: readonly MessageRow[],
): Promise<MessageRow[]> {
  const from = `${mediaDirectory(owner)}/`;
  const to = keptDirectory(owner);
  const keep = async (block: Block): Promise<Block> => {
    if (block.type !== 'media' || !block.path.startsWith(from)) return block;
    const path = `${to}/${block.path.slice(from.length)}`;
    await ownDirectory(fs, to, owner);
    if (!(await fs.exists(path, ROOT))) {
      const copied = await copy(fs, block.path, path, ROOT).then(
        () => true,
        () => false,
      );
      if (!copied) return block;
      await fs.chown(path, owner, ROOT);
    }
    return { ...block, path };
  };
  const kept: MessageRow[] = [];
  for (const row of rows) {
    const refers = row.content.some(({ type }) => type === 'media');
    kept.push(refers ? { ...row, content: await Promise.all(row.content.map(keep)) } : row);
  }
  return kept;
}

/** The process begins anew, or is gone: its media go, but for what archives keep. Resolves when that is on disk. */
export async function dropMedia(fs: FileSystem, owner: MediaOwner): Promise<void> {
  await fs.rm(mediaDirectory(owner), ROOT, { recursive: true, force: true }).catch(() => {});
  await fs.durable();
}
