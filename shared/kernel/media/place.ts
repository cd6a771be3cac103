import type { ProcessRow } from '../../state/system.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';

/** Who a process belongs to, and where its media are. */
export type MediaOwner = Pick<ProcessRow, 'uid' | 'gid' | 'pid' | 'username'>;

/** Its owner's, and nobody else's. */
const DIRECTORY_MODE = 0o700;
/** The kernel of each replica makes these: made apart, each is one directory. */
const KERNEL = { ...ROOT, onEveryReplica: true };

/** Media of a process that lives (spec/agent-loop, "Media Handling"). */
export const mediaDirectory = ({ uid, pid }: MediaOwner): string => `/var/media/${uid}/${pid}`;
/** Media that archives of a process refer to. */
export const keptDirectory = ({ username, pid }: MediaOwner): string =>
  `/var/sessions/${username}/${pid}/media`;

/** Makes a directory, and those between it and `/var/<name>`, the owner's alone. */
export async function ownDirectory(fs: FileSystem, path: string, owner: MediaOwner): Promise<void> {
  if (await fs.exists(path, ROOT)) return;
  await fs.mkdir(path, KERNEL, { recursive: true });
  const [, root, name, ...below] = path.split('/');
  for (let depth = 1; depth <= below.length; depth += 1) {
    const own = ['', root, name, ...below.slice(0, depth)].join('/');
    await fs.chmod(own, DIRECTORY_MODE, ROOT);
    await fs.chown(own, owner, ROOT);
  }
}
