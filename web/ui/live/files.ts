import type { ByteStream } from '../../../shared/protocol/streams.ts';

/** How long a saved file's address is kept for the browser, which reads it after the click. */
const KEPT_MS = 60_000;
/** Bytes that are gathered before they are handed to the browser, which may keep them on disk. */
const PART_BYTES = 4 * 1024 * 1024;

/** Offers a file to be saved, as a download. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** Reads a stream to its end, telling how many bytes have come. Rejects when the stream does. */
export async function collect(
  stream: ByteStream,
  type: string,
  onBytes: (count: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let gathered: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let count = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    gathered.push(new Uint8Array(value));
    size += value.length;
    count += value.length;
    onBytes(count);
    if (size < PART_BYTES) continue;
    parts.push(new Blob(gathered));
    gathered = [];
    size = 0;
  }
  return new Blob([...parts, ...gathered], { type });
}

/** Asks for an exported file, reads it to its end and offers it to be saved. Rejects when it does not come whole. */
export async function download(
  ask: () => Promise<{ result: { name: string }; bytes: ByteStream | undefined }>,
  onBytes: (count: number) => void = () => {},
): Promise<{ name: string; size: number }> {
  const { result, bytes } = await ask();
  if (bytes === undefined) throw new Error('The file did not come.');
  const file = await collect(bytes, 'application/zip', onBytes);
  saveFile(result.name, file);
  return { name: result.name, size: file.size };
}

/** A file's bytes as they are asked for, telling how many have been taken. */
export function counted(file: Blob, onBytes: (count: number) => void): ByteStream {
  let count = 0;
  return file.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count += chunk.length;
        onBytes(count);
        controller.enqueue(chunk);
      },
    }),
  );
}
