import type { PieceWriter } from './pieces.ts';

export type Sizes = { stored: number; total: number };

/** The server's file is not the one that was begun. */
export class OtherFile extends Error {}

/**
 * Downloads what a writer does not have yet. `onProgress` is called for every chunk. Rejects with a sentence for a person,
 * and keeps the whole pieces.
 */
export async function downloadInto(
  writer: PieceWriter,
  { address, total, fetch: fetchFile }: { address: string; total: number; fetch: typeof fetch },
  onProgress: (sizes: Sizes) => void,
  signal: AbortSignal,
): Promise<void> {
  const from = writer.stored;
  if (total > 0 && from === total) return;
  const { body, size, skip } = await request(address, from, fetchFile, signal);
  if (total > 0 && size > 0 && size !== total)
    throw new OtherFile('The file at its address has changed since the download began.');
  let left = skip;
  let got = from;
  for await (const chunk of body) {
    const part = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - part.length;
    await writer.write(part);
    got += part.length;
    onProgress({ stored: got, total: size || total });
    signal.throwIfAborted();
  }
  const whole = size || total;
  if (whole > 0 && got !== whole) throw new Error('The download broke off.');
}

type Answer = { body: AsyncIterable<Uint8Array>; size: number; skip: number };

async function request(
  address: string,
  from: number,
  fetchFile: typeof fetch,
  signal: AbortSignal,
): Promise<Answer> {
  const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
  let response: Response;
  try {
    response = await fetchFile(address, { headers, signal });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new Error(`${hostOf(address)} cannot be reached.`);
  }
  if (!response.ok || !response.body) throw new Error(refusal(address, response.status));
  const body = response.body as unknown as AsyncIterable<Uint8Array>;
  const length = Number(response.headers.get('content-length')) || 0;
  // A server that knows no ranges sends everything once more.
  if (response.status !== 206) return { body, size: length, skip: from };
  const [, total] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  return { body, size: Number(total) || from + length, skip: 0 };
}

function refusal(address: string, status: number): string {
  const where = hostOf(address);
  if (status === 401 || status === 403) return `${where} does not give this file to everybody (${status}).`;
  if (status === 404) return `${where} has no such file (404).`;
  return `${where} failed (${status}).`;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
