import { gunzipSync } from 'node:zlib';
import { readAll } from '../../shared/protocol/streams.ts';
import type { TestPage } from './kernel.ts';

export type ArchivedMessage = { id: number; role: string; content: { text: string }[] };

/** The bytes of a file as its page may read it; null when it may not. */
export async function bytesOf(page: TestPage, path: string): Promise<Uint8Array | null> {
  const { data, stream } = await page.peer.call('fs.transfer.read', { path });
  if ((data as { ok: boolean }).ok === false || !stream) return null;
  return readAll(stream, 1e8);
}

/** The messages of an archive. */
export async function archived(page: TestPage, path: string): Promise<ArchivedMessage[]> {
  const bytes = await bytesOf(page, path);
  if (!bytes) throw new Error(`cannot read ${path}`);
  return gunzipSync(bytes)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
