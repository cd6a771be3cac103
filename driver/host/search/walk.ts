import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isBinary } from '../../../shared/fs-text/is-binary.ts';
import { MOST_MATCHES, searchLines } from '../../../shared/fs-text/search-lines.ts';
import { isSystemError, OperationFailure } from '../operation.ts';
import { readUpTo, withFile } from '../read-bytes.ts';
import { SEARCHED_FILE_BYTES, type Search, skippedNames } from './matches.ts';

/** Searches by itself, as ripgrep would: links are not followed, what may not be read is passed over. */
export const searchByWalking: Search = async (root, query, accepts, offer, signal) => {
  if ((await stat(root)).isFile()) {
    if (accepts(basename(root))) await searchFile(root, query, offer);
    return;
  }
  for await (const relativePath of walk(root, '')) {
    signal.throwIfAborted();
    if (accepts(relativePath) && !(await searchFile(join(root, relativePath), query, offer))) return;
  }
};

async function* walk(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(passOver);
  for (const entry of entries ?? []) {
    const path = join(below, entry.name);
    if (skippedNames.includes(entry.name)) continue;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** Offers the matches of one file; false when no more are wanted. */
async function searchFile(path: string, query: string, offer: Parameters<Search>[3]): Promise<boolean> {
  const bytes = await readText(path).catch(passOver);
  if (!bytes?.includes(query)) return true;
  return searchLines(bytes.toString('utf8'), query, MOST_MATCHES + 1).every((match) =>
    offer({ path, ...match }),
  );
}

function readText(path: string): Promise<Buffer | undefined> {
  return withFile<Buffer | undefined>(
    path,
    async (file, size) => {
      if (size > SEARCHED_FILE_BYTES) return undefined;
      const bytes = await readUpTo(file, SEARCHED_FILE_BYTES, size);
      return isBinary(bytes) ? undefined : bytes;
    },
    async () => undefined,
  );
}

function passOver(thrown: unknown): undefined {
  if (isSystemError(thrown) || thrown instanceof OperationFailure) return undefined;
  throw thrown;
}
