import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { access, chown, constants, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { realPathOf } from './machine.ts';
import { isSystemError, OperationFailure, unlessMissing } from './operation.ts';
import { overwrite } from './overwrite.ts';

/**
 * Creates or replaces a file as a whole: `fill` writes a new file, which then takes the old one's place, so that a
 * reader and a crash see one or the other. Mode, owner, links and the directories above are kept or made.
 */
export async function replaceFile(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const target = await realPathOf(path);
  const existing = await unlessMissing(stat(target));
  await checkReplaceable(path, target, existing);
  await mkdir(dirname(target), { recursive: true });
  const fresh = await openFresh(dirname(target), existing);
  try {
    await fillFresh(fresh.file, fill, existing);
    await takePlace(fresh, target, existing);
  } finally {
    await rm(fresh.path, { force: true });
  }
}

async function checkReplaceable(path: string, target: string, existing: Stats | undefined): Promise<void> {
  if (!existing) return;
  if (existing.isDirectory()) throw new OperationFailure(`Is a directory: ${path}`);
  if (!existing.isFile()) throw new OperationFailure(`Not a regular file: ${path}`);
  await access(target, constants.W_OK);
}

type Fresh = { path: string; file: FileHandle; beside: boolean };

/** A new file in `directory`; elsewhere when only the existing file, not its directory, may be written. */
async function openFresh(directory: string, existing: Stats | undefined): Promise<Fresh> {
  const name = `.gsv-${randomBytes(8).toString('hex')}.tmp`;
  try {
    const path = join(directory, name);
    return { path, file: await open(path, 'wx', 0o666), beside: true };
  } catch (thrown) {
    if (!existing || !isSystemError(thrown) || thrown.code !== 'EACCES') throw thrown;
    const path = join(tmpdir(), name);
    return { path, file: await open(path, 'wx', 0o600), beside: false };
  }
}

async function fillFresh(
  file: FileHandle,
  fill: (file: FileHandle) => Promise<void>,
  existing: Stats | undefined,
): Promise<void> {
  try {
    if (existing) await file.chmod(existing.mode & 0o7777);
    await fill(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file with several names, one whose directory is closed to us, and one that we cannot give to its owner is overwritten in place. */
async function takePlace(fresh: Fresh, target: string, existing: Stats | undefined): Promise<void> {
  if (existing && !(fresh.beside && existing.nlink === 1 && (await givenToOwner(fresh.path, existing))))
    return overwrite(fresh.path, target, existing.size);
  await rename(fresh.path, target);
}

/** Only root may give a file away. */
async function givenToOwner(path: string, existing: Stats): Promise<boolean> {
  if (process.getuid?.() === existing.uid && process.getgid?.() === existing.gid) return true;
  return chown(path, existing.uid, existing.gid).then(
    () => true,
    () => false,
  );
}
