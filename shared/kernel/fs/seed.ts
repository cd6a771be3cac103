import { type InodeFields, ROOT_INO } from './inode-row.ts';
import type { Inodes } from './inodes.ts';
import { baseName } from './paths.ts';

/** Directories that every GSV has, parents first. Their inodes are their paths, so that replicas apart agree. */
const directories: readonly [path: string, mode: number][] = [
  ['/home', 0o755],
  ['/root', 0o700],
  ['/workspaces', 0o755],
  ['/tmp', 0o1777],
  ['/var', 0o755],
  ['/var/sessions', 0o755],
  ['/var/media', 0o755],
  ['/var/spool', 0o755],
  ['/var/spool/cron', 0o755],
  ['/var/log', 0o755],
  ['/var/log/gsv', 0o755],
  ['/var/log/gsv/scheduler', 0o755],
  ['/usr', 0o755],
  ['/usr/local', 0o755],
  ['/usr/local/bin', 0o755],
  ['/src', 0o755],
  ['/src/packages', 0o755],
];

/** Creates what is missing of them, owned by root. */
export function seedTree(inodes: Inodes, now: number): void {
  const directory = { kind: 'dir', uid: 0, gid: 0, size: 0, mtime: now } as const;
  inodes.transact(() => {
    if (!inodes.get(ROOT_INO)) inodes.seed(ROOT_INO, { ...directory, parent: '', name: '', mode: 0o755 });
    for (const [path, mode] of directories) {
      if (inodes.get(path)) continue;
      const row: InodeFields = { ...directory, parent: parentOf(path), name: baseName(path), mode };
      inodes.seed(path, row);
    }
  });
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || ROOT_INO;
}
