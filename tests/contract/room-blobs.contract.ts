import { describe, expect, test } from 'vitest';
import { readAll, streamOf } from '../../shared/protocol/streams.ts';
import type { ClaimedRoom } from '../support/claimed-room.ts';
import { hashOf, sampleBytes } from '../support/sample-bytes.ts';

const MB = 1024 * 1024;
const TIMEOUT = { timeoutMs: 60_000 };

export function blobRules(room: () => ClaimedRoom): void {
  describe('blobs', () => {
    test('[R102] twenty megabytes go up and come down whole', async () => {
      const client = await room().kernel();
      const bytes = sampleBytes(20 * MB, 1);
      const hash = hashOf(bytes);
      const missing = async () => (await client.call('blob.missing', { hashes: [hash] })).data;
      expect(await missing()).toEqual({ missing: [{ hash, stored: 0 }] });
      const args = { hash, size: bytes.length, offset: 0 };
      const put = await client.call('blob.put', args, { stream: streamOf(bytes), ...TIMEOUT });
      expect(put.data).toEqual({ stored: bytes.length, whole: true });
      expect(await missing()).toEqual({ missing: [] });
      const { data, stream } = await client.call('blob.get', { hash, offset: 0 });
      expect(data).toEqual({ size: bytes.length });
      if (!stream) throw new Error('no bytes came');
      expect(hashOf(await readAll(stream, bytes.length))).toBe(hash);
      await client.close();
    });

    test('[R103] an upload goes on where the last one was cut off', async () => {
      const bytes = sampleBytes(5 * MB, 2);
      const hash = hashOf(bytes);
      const first = await room().kernel();
      const half = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(bytes.subarray(0, 3 * MB)),
      });
      const cut = first.call('blob.put', { hash, size: bytes.length, offset: 0 }, { stream: half });
      const stored = async (): Promise<number> => {
        const { data } = await room().replica.call('blob.missing', { hashes: [hash] });
        return (data as { missing: { stored: number }[] }).missing[0]?.stored ?? bytes.length;
      };
      await expect.poll(stored, { timeout: 10_000 }).toBeGreaterThanOrEqual(2 * MB);
      await Promise.all([expect(cut).rejects.toMatchObject({ code: 503 }), first.close()]);
      await expect.poll(stored, { timeout: 10_000 }).toBe(3 * MB);
      const second = await room().kernel();
      const rest = { hash, size: bytes.length, offset: 3 * MB };
      const { data } = await second.call('blob.put', rest, { stream: streamOf(bytes.subarray(3 * MB)) });
      expect(data).toEqual({ stored: bytes.length, whole: true });
      const { stream } = await second.call('blob.get', { hash, offset: 1_234_567 });
      if (!stream) throw new Error('no bytes came');
      expect(hashOf(await readAll(stream, bytes.length))).toBe(hashOf(bytes.subarray(1_234_567)));
      await second.close();
    });

    test('[R104] bytes with another hash are dropped', async () => {
      const client = await room().kernel();
      const [bytes, others] = [sampleBytes(400_000, 3), sampleBytes(400_000, 4)];
      const args = { hash: hashOf(bytes), size: bytes.length, offset: 0 };
      const put = (content: Uint8Array) => client.call('blob.put', args, { stream: streamOf(content) });
      await expect(put(others)).rejects.toMatchObject({ code: 400 });
      await expect(client.call('blob.get', { hash: args.hash, offset: 0 })).rejects.toMatchObject({
        code: 404,
      });
      expect((await put(bytes)).data).toMatchObject({ whole: true });
      await client.close();
    });

    test('[R105] a blob that two send at once ends whole', async () => {
      const clients = [await room().kernel(), await room().kernel('replica-3')];
      const bytes = sampleBytes(3 * MB + 5, 5);
      const args = { hash: hashOf(bytes), size: bytes.length, offset: 0 };
      const puts = clients.map((client) => client.call('blob.put', args, { stream: streamOf(bytes) }));
      for (const { data } of await Promise.all(puts)) {
        expect(data).toEqual({ stored: bytes.length, whole: true });
      }
      await Promise.all(clients.map((client) => client.close()));
    });

    test('[R107] what is released can still be asked for', async () => {
      const client = await room().kernel();
      const bytes = sampleBytes(1000, 6);
      const hash = hashOf(bytes);
      await client.call('blob.put', { hash, size: 1000, offset: 0 }, { stream: streamOf(bytes) });
      expect((await client.call('blob.release', { hashes: [hash, hashOf(sampleBytes(1, 7))] })).data).toEqual(
        {
          released: 1,
        },
      );
      expect((await client.call('blob.missing', { hashes: [hash] })).data).toEqual({ missing: [] });
      await client.close();
    });

    test('[R110] blobs are for kernels', async () => {
      const alice = await room().user('alice');
      await expect(alice.call('blob.missing', { hashes: [] })).rejects.toMatchObject({ code: 403 });
      await alice.close();
    });
  });
}
