import { lstat, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isBinary } from '../../shared/fs-text/is-binary.ts';
import { replaceText } from '../../shared/fs-text/replace-text.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { isWithin, type Machine, realPathOf } from './machine.ts';
import { OperationFailure } from './operation.ts';
import { readUpTo, withFile } from './read-bytes.ts';
import { replaceFile } from './replace-file.ts';

/** A longer file is not edited through a call. */
const EDITABLE_BYTES = 50 * 1024 * 1024;

/** Answers `fs.write` for an absolute path. */
export async function writePath(path: string, content: string): Promise<Result<'fs.write'>> {
  const bytes = Buffer.from(content, 'utf8');
  await replaceFile(path, (file) => file.writeFile(bytes));
  return { ok: true, path, size: bytes.length };
}

/** Answers `fs.edit` for an absolute path. */
export async function editPath(path: string, args: Args<'fs.edit'>): Promise<Result<'fs.edit'>> {
  const edited = replaceText(await readEditable(path), args.oldString, args.newString, args.replaceAll);
  if (!edited.ok) throw new OperationFailure(`${edited.error}: ${path}`);
  await replaceFile(path, (file) => file.writeFile(edited.text, 'utf8'));
  return { ok: true, path, replacements: edited.replacements };
}

async function readEditable(path: string): Promise<string> {
  const bytes = await withFile(
    path,
    (file, size) => readUpTo(file, EDITABLE_BYTES + 1, size),
    () => Promise.reject(new OperationFailure(`Is a directory: ${path}`)),
  );
  if (bytes.length > EDITABLE_BYTES)
    throw new OperationFailure(`Too large to edit (over ${EDITABLE_BYTES} bytes): ${path}`);
  if (isBinary(bytes))
    throw new OperationFailure(`A binary file of ${bytes.length} bytes, not text: ${path}`);
  try {
    // A byte order mark is part of the text: it must be there again afterwards.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new OperationFailure(`Not UTF-8, an edit would damage it: ${path}`);
  }
}

/** Answers `fs.delete` for an absolute path. A link is deleted itself, never what it leads to. */
export async function deletePath(machine: Machine, path: string): Promise<Result<'fs.delete'>> {
  await lstat(path);
  await checkDeletable(machine, path);
  await rm(path, { recursive: true });
  return { ok: true, path };
}

/**
 * Refuses what holds everything else: the root, the home and the workspace, and what they lie in. Rejects with
 * OperationFailure.
 */
export async function checkDeletable(machine: Machine, path: string): Promise<void> {
  const place = join(await realpath(dirname(path)), basename(path));
  for (const kept of ['/', machine.home, machine.workspace]) {
    if (isWithin(place, await realPathOf(kept)) || isWithin(path, kept)) {
      throw new OperationFailure(
        `Refused to delete ${path}: it is or holds the root, home or workspace directory`,
      );
    }
  }
}
