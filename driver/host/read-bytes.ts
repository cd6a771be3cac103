import { constants, type FileHandle, open } from 'node:fs/promises';
import { OperationFailure } from './operation.ts';

/**
 * Opens what should be a regular file, runs `use` and closes it. Pipes and devices are refused: reading
 * one could wait for ever. A directory is told apart by the caller (`directory`).
 */
export async function withFile<Result>(
  path: string,
  use: (file: FileHandle, size: number) => Promise<Result>,
  directory: () => Promise<Result>,
): Promise<Result> {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would not return.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return await directory();
    if (!stats.isFile()) throw new OperationFailure(`Not a regular file: ${path}`);
    return await use(file, stats.size);
  } finally {
    await file.close();
  }
}

/** The first bytes of a file, at most `most`; `expected` is its size as far as known. */
export async function readUpTo(file: FileHandle, most: number, expected: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(most, Math.max(expected, 4096)));
  let length = 0;
  while (length < most) {
    if (length === buffer.length) buffer = grow(buffer, most);
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    // Files of /proc report no size, so only the end itself ends those.
    if (bytesRead === 0 || (length === expected && expected > 0)) break;
  }
  return buffer.subarray(0, length);
}

function grow(buffer: Buffer, most: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(most, buffer.length * 2));
  buffer.copy(larger);
  return larger;
}
