import { type ByteStream, readAll } from '../../protocol/streams.ts';
import { sha256Hex } from '../../std/bytes.ts';
import type { Credentials } from './credentials.ts';
import { FILE_BYTES, type FileSystem } from './file-system.ts';

export type Written = { size: number; sha256: string; takeBack: () => void };

/** Writes a stream when it has arrived whole; until then, and when it fails, nothing changes. */
export async function writeStream(
  fs: FileSystem,
  path: string,
  stream: ByteStream,
  caller: Credentials,
): Promise<Written> {
  try {
    await fs.demandWritable(path, caller);
  } catch (error) {
    await stream.cancel(error).catch(() => {});
    throw error;
  }
  const bytes = await readAll(stream, FILE_BYTES);
  // In this moment: what is written meanwhile comes after it.
  const [takeBack, sha256] = await Promise.all([fs.writeFile(path, bytes, caller), sha256Hex(bytes)]);
  return { size: bytes.length, sha256, takeBack };
}
