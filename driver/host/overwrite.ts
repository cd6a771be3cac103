import { constants, type FileHandle, open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Puts what the file `from` holds into `target`, of `size` bytes, which stays the same file. What it grows by is written
 * first: when the disk has no room for that, `target` is as it was.
 */
export async function overwrite(from: string, target: string, size: number): Promise<void> {
  const source = await open(from, constants.O_RDONLY);
  try {
    const file = await open(target, constants.O_WRONLY);
    try {
      await fill(file, source, size);
    } finally {
      await file.close();
    }
  } finally {
    await source.close();
  }
}

async function fill(file: FileHandle, source: FileHandle, size: number): Promise<void> {
  const { size: length } = await source.stat();
  try {
    await copyRange(source, file, size, length);
  } catch (thrown) {
    await file.truncate(size);
    throw thrown;
  }
  await copyRange(source, file, 0, Math.min(size, length));
  if (length < size) await file.truncate(length);
  await file.sync();
}

async function copyRange(source: FileHandle, file: FileHandle, from: number, to: number): Promise<void> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, to - from)));
  for (let at = from; at < to; ) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, to - at), at);
    if (bytesRead === 0) return;
    await writeAt(file, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
