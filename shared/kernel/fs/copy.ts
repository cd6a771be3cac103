import type { Credentials } from './credentials.ts';
import type { FileSystem } from './file-system.ts';
import { FsError } from './fs-error.ts';
import { absolutePath, baseName, joinPath } from './paths.ts';
import type { FileStat } from './places.ts';

/** Copies a file, or with `recursive` a directory; into `to` when that is a directory. */
export async function copy(
  fs: FileSystem,
  from: string,
  to: string,
  caller: Credentials,
  options: { recursive?: boolean } = {},
): Promise<void> {
  const source = await fs.stat(from, caller);
  if (source.kind === 'dir' && !options.recursive) throw new FsError('EISDIR', from);
  const origin = await fs.realpath(from, caller);
  const into = await fs.stat(to, caller).catch(() => undefined);
  const target = into?.kind === 'dir' ? joinPath(absolutePath(to, caller), baseName(origin)) : to;
  if (source.kind === 'dir' && isWithin(fs.leadsTo(target, caller), origin)) {
    throw new FsError('EINVAL', to, 'cannot copy a directory into itself');
  }
  await copyTree(fs, origin, target, source, caller);
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

async function copyTree(
  fs: FileSystem,
  from: string,
  to: string,
  source: FileStat,
  caller: Credentials,
): Promise<void> {
  if (source.kind === 'symlink') return fs.symlink(await fs.readlink(from, caller), to, caller);
  if (source.kind === 'file') return fs.copyFile(from, to, source.mode, caller);
  await fs.mkdir(to, caller, { keep: true });
  for (const { name } of await fs.readdir(from, caller)) {
    const child = joinPath(from, name);
    await copyTree(fs, child, joinPath(to, name), await fs.lstat(child, caller), caller);
  }
}
