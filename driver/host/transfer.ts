import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { limits } from '../../shared/protocol/limits.ts';
import { type ByteStream, streamOf } from '../../shared/protocol/streams.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import { OperationFailure } from './operation.ts';
import { readUpTo } from './read-bytes.ts';
import { replaceFile } from './replace-file.ts';

/** Files of /proc say that they have no size; what they hold is sent up to this many bytes. */
const UNSIZED_BYTES = 16 * 1024 * 1024;

/** Answers `fs.transfer.read`: the bytes go to `send`, read from the disk only as fast as they are taken. */
export async function sendFile(
  path: string,
  send: (stream: ByteStream) => void,
): Promise<Result<'fs.transfer.read'>> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { stream, size } = await contentOf(file, path);
    send(stream);
    return { ok: true, path, size };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function contentOf(file: FileHandle, path: string): Promise<{ stream: ByteStream; size: number }> {
  const stats = await file.stat();
  if (!stats.isFile())
    throw new OperationFailure(`${stats.isDirectory() ? 'Is a directory' : 'Not a regular file'}: ${path}`);
  if (stats.size > 0) return { stream: streamFile(file, path, stats.size), size: stats.size };
  await refuseEnvironment(path);
  const bytes = new Uint8Array(await readUpTo(file, UNSIZED_BYTES + 1, 0));
  if (bytes.length > UNSIZED_BYTES)
    throw new OperationFailure(`More than ${UNSIZED_BYTES} bytes without a known size: ${path}`);
  await file.close();
  return { stream: streamOf(bytes), size: bytes.length };
}

/** What a process was started with are often secrets, and of this one or its parent it may be the device's token. */
async function refuseEnvironment(path: string): Promise<void> {
  if (/^\/proc\/.*\/environ$/.test(await realpath(path)))
    throw new OperationFailure(`The environment of a process is not sent: ${path}`);
}

/** Exactly `size` bytes: what is appended meanwhile is left out, a file that shrinks is an error. */
function streamFile(file: FileHandle, path: string, size: number): ByteStream {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(Math.min(limits.chunkBytes, size - at));
        const bytesRead = size === at ? 0 : await readChunk(file, path, chunk, at);
        at += bytesRead;
        if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead));
        if (at < size) return;
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

async function readChunk(file: FileHandle, path: string, chunk: Uint8Array, at: number): Promise<number> {
  try {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead > 0) return bytesRead;
  } catch {
    // Told below: a stream that stops early is an error at the other end.
  }
  await file.close();
  throw new SyscallError(502, `The file became unreadable or shorter while it was sent: ${path}`);
}

/** Answers `fs.transfer.write`: nothing changes on the disk until the stream came to its end. */
export async function receiveFile(
  path: string,
  stream: ByteStream | undefined,
): Promise<Result<'fs.transfer.write'>> {
  if (!stream) throw new SyscallError(400, 'fs.transfer.write needs the bytes of the file beside the call');
  const hash = createHash('sha256');
  let size = 0;
  await replaceFile(path, async (file) => {
    const reader = stream.getReader();
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      hash.update(step.value);
      size += step.value.length;
      await writeAll(file, step.value);
    }
  });
  return { ok: true, path, size, sha256: hash.digest('hex') };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}
