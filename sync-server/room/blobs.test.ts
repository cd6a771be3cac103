import { describe, expect, test } from 'vitest';
import { type ByteStream, readAll, streamOf } from '../../shared/protocol/streams.ts';
import { SEAL } from '../../shared/state/control.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import { ask, claimedRoom, type Joined, replicaHello } from '../../tests/support/room-in-memory.ts';
import { hashOf, sampleBytes } from '../../tests/support/sample-bytes.ts';
import { waitFor } from '../../tests/support/server.ts';
import { turns } from '../../tests/support/turns.ts';
import { BLOB_BYTES, SWEEP_MS, UNUSED_MS } from './blobs.ts';
import { PIECE_BYTES } from './pieces.ts';

const KB = 1024;

async function put(
  { peer }: Joined,
  bytes: Uint8Array,
  { hash = hashOf(bytes), size = bytes.length, offset = 0, stream = streamOf(bytes.subarray(offset)) } = {},
): Promise<Result<'blob.put'>> {
  return (await peer.call('blob.put', { hash, size, offset }, { stream })).data as Result<'blob.put'>;
}

async function get({ peer }: Joined, hash: string, offset = 0) {
  const { data, stream } = await peer.call('blob.get', { hash, offset });
  if (!stream) throw new Error('no bytes came');
  return { size: (data as Result<'blob.get'>).size, bytes: await readAll(stream, BLOB_BYTES) };
}

const missing = async (kernel: Joined, ...hashes: string[]) =>
  (await ask(kernel, 'blob.missing', { hashes })).missing;

/** A stream that a test feeds and ends. */
function fed() {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let cancelled = false;
  const stream: ByteStream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return {
    stream,
    send: (bytes: Uint8Array) => controller?.enqueue(bytes),
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
    cancelled: () => cancelled,
  };
}

describe('up and down', () => {
  test.each([
    ['nothing', 0],
    ['one byte', 1],
    ['a piece', PIECE_BYTES],
    ['three pieces and a bit', 3 * PIECE_BYTES + 7],
  ])('[R102] a blob of %s comes back whole', async (_name, length) => {
    const { founder, kernel } = await claimedRoom();
    const bytes = sampleBytes(length, 1);
    const hash = hashOf(bytes);
    expect(await missing(founder, hash)).toEqual([{ hash, stored: 0 }]);
    expect(await put(founder, bytes)).toEqual({ stored: length, whole: true });
    expect(await missing(founder, hash)).toEqual([]);
    const fetched = await get(await kernel('replica-2'), hash);
    expect(fetched.size).toBe(length);
    expect(Buffer.compare(fetched.bytes, bytes)).toBe(0);
  });

  test('[R102] what is there already is not read again', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(3 * PIECE_BYTES, 1);
    await put(founder, bytes);
    const source = fed();
    source.send(bytes.subarray(0, PIECE_BYTES));
    expect(await put(founder, bytes, { stream: source.stream })).toEqual({
      stored: bytes.length,
      whole: true,
    });
    await waitFor(source.cancelled, 'the sender to be stopped');
  });

  test('[R106] it is fetched from any place on, and only when it is whole', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(300 * KB, 1);
    const hash = hashOf(bytes);
    await expect(get(founder, hash)).rejects.toMatchObject({ code: 404 });
    await put(founder, bytes.subarray(0, 200 * KB), { hash, size: bytes.length });
    await expect(get(founder, hash)).rejects.toMatchObject({ code: 404 });
    await put(founder, bytes, { offset: 200 * KB });
    for (const offset of [1, 64 * KB, 200 * KB, bytes.length]) {
      const { size, bytes: rest } = await get(founder, hash, offset);
      expect([size, Buffer.compare(rest, bytes.subarray(offset))]).toEqual([bytes.length, 0]);
    }
    await expect(get(founder, hash, bytes.length + 1)).rejects.toMatchObject({ code: 400 });
  });

  test('[R108] a blob is stored in pieces as it comes, and a reader that stops reading stops the room', async () => {
    const { founder, storage } = await claimedRoom();
    const added: number[] = [];
    const putBlob = storage.putBlob.bind(storage);
    storage.putBlob = (hash, blob, bytes) => {
      added.push(bytes?.length ?? 0);
      return putBlob(hash, blob, bytes);
    };
    const bytes = sampleBytes(3.5 * PIECE_BYTES, 1);
    await put(founder, bytes);
    expect(Math.max(...added)).toBeLessThan(2 * PIECE_BYTES);
    expect(added.filter((length) => length > 0).length).toBeGreaterThanOrEqual(3);
    let read = 0;
    const readBlob = storage.readBlob.bind(storage);
    storage.readBlob = async (hash, offset) => {
      const part = await readBlob(hash, offset);
      read += part.length;
      return part;
    };
    const { stream } = await founder.peer.call('blob.get', { hash: hashOf(bytes), offset: 0 });
    await stream?.getReader().read();
    await turns(50);
    expect(read).toBeLessThan(2 * PIECE_BYTES);
  });
});

describe('resuming', () => {
  test('[R103] what arrived before a link broke is kept, and the rest is enough', async () => {
    const { founder, kernel, restart } = await claimedRoom();
    const other = await kernel('replica-2');
    const bytes = sampleBytes(3 * PIECE_BYTES, 1);
    const hash = hashOf(bytes);
    const source = fed();
    const broken = put(other, bytes, { stream: source.stream }).catch((error: unknown) => error);
    source.send(bytes.subarray(0, 1_700_000));
    await waitFor(async () => (await missing(founder, hash))[0]?.stored !== 0, 'the first piece');
    other.peer.close(1000, 'gone');
    expect(await broken).toMatchObject({ code: 503 });
    await waitFor(async () => (await missing(founder, hash))[0]?.stored === 1_700_000, 'the rest of it');
    const later = await restart();
    const again = await later.connect(replicaHello('replica-1'));
    expect(await put(again, bytes, { offset: 1_700_000 })).toEqual({ stored: bytes.length, whole: true });
    expect(Buffer.compare((await get(again, hash)).bytes, bytes)).toBe(0);
  });

  test('[R103] what arrived before its sender failed is kept', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(600 * KB, 1);
    const hash = hashOf(bytes);
    const source = fed();
    const failed = put(founder, bytes, { stream: source.stream }).catch((error: unknown) => error);
    source.send(bytes.subarray(0, 400 * KB));
    await turns(20);
    source.fail(new Error('the disk of the replica failed'));
    expect(await failed).toMatchObject({ code: 500 });
    expect(await missing(founder, hash)).toEqual([{ hash, stored: 400 * KB }]);
  });

  test('[R103] bytes that are there already are passed over, and a gap is not closed by guessing', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(400 * KB, 1);
    const hash = hashOf(bytes);
    await put(founder, bytes.subarray(0, 300 * KB), { hash, size: bytes.length });
    expect(await put(founder, bytes, { offset: 350 * KB })).toEqual({ stored: 300 * KB, whole: false });
    expect(await put(founder, bytes, { offset: 100 * KB })).toEqual({ stored: bytes.length, whole: true });
    expect(Buffer.compare((await get(founder, hash)).bytes, bytes)).toBe(0);
  });

  test('[R105] a blob that two send at once ends whole and is stored once', async () => {
    const { founder, kernel, storage } = await claimedRoom();
    const other = await kernel('replica-2');
    const bytes = sampleBytes(2 * PIECE_BYTES + 99, 1);
    let added = 0;
    const putBlob = storage.putBlob.bind(storage);
    storage.putBlob = (hash, blob, piece) => {
      added += piece?.length ?? 0;
      return putBlob(hash, blob, piece);
    };
    const [slow, quick] = [fed(), fed()];
    const both = Promise.all([
      put(founder, bytes, { stream: slow.stream }),
      put(other, bytes, { stream: quick.stream }),
    ]);
    slow.send(bytes.subarray(0, PIECE_BYTES));
    for (let at = 0; at < bytes.length; at += 100_000) quick.send(bytes.subarray(at, at + 100_000));
    await waitFor(() => added >= PIECE_BYTES, 'the first piece');
    slow.send(bytes.subarray(PIECE_BYTES));
    for (const source of [slow, quick]) source.end();
    const whole = { stored: bytes.length, whole: true };
    expect(await both).toEqual([whole, whole]);
    expect(added).toBe(bytes.length);
    expect(Buffer.compare((await get(other, hashOf(bytes))).bytes, bytes)).toBe(0);
  });
});

describe('names that only replicas understand', () => {
  const NAME = 'e'.repeat(64);
  const send = (kernel: Joined, bytes: Uint8Array, digest: string) =>
    kernel.peer.call(
      'blob.put',
      { hash: NAME, size: bytes.length, offset: 0, digest },
      { stream: streamOf(bytes) },
    );

  test('[R164] such a blob is checked by the digest that its sender gives', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(100 * KB, 1);
    await expect(send(founder, bytes, hashOf(sampleBytes(9, 2)))).rejects.toMatchObject({ code: 400 });
    await expect(put(founder, bytes, { hash: NAME })).rejects.toMatchObject({ code: 400 });
    expect(await missing(founder, NAME)).toEqual([{ hash: NAME, stored: 0 }]);
    expect((await send(founder, bytes, hashOf(bytes))).data).toMatchObject({ whole: true });
    expect(Buffer.compare((await get(founder, NAME)).bytes, bytes)).toBe(0);
  });

  test('[R166] the room of a sealed GSV takes no contents that it could read, and says so', async () => {
    const { founder, change } = await claimedRoom();
    await change(({ seal }) => seal.put(SEAL, { gsvId: 'gsv', since: 1 }));
    const bytes = sampleBytes(100 * KB, 1);
    const refused = { code: 409, message: expect.stringContaining('sealed now') };
    await expect(put(founder, bytes)).rejects.toMatchObject(refused);
    expect(await missing(founder, hashOf(bytes))).toEqual([{ hash: hashOf(bytes), stored: 0 }]);
    expect((await send(founder, bytes, hashOf(bytes))).data).toMatchObject({ whole: true });
  });

  test('[R165] what shall be gone at once is removed at once, and may come again', async () => {
    const { founder, storage } = await claimedRoom();
    const bytes = sampleBytes(100 * KB, 1);
    const hash = hashOf(bytes);
    await put(founder, bytes);
    const release = () => ask(founder, 'blob.release', { hashes: [hash, NAME], now: true });
    expect(await release()).toEqual({ released: 1 });
    expect(await storage.blob(hash)).toBe(undefined);
    expect(await release()).toEqual({ released: 0 });
    expect(await put(founder, bytes)).toMatchObject({ whole: true });
    expect(await missing(founder, hash)).toEqual([]);
  });
});

describe('what is refused', () => {
  test('[R104] bytes with another hash are dropped, and the right ones are taken after that', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(100 * KB, 1);
    const hash = hashOf(bytes);
    const wrong = put(founder, sampleBytes(100 * KB, 7), { hash });
    await expect(wrong).rejects.toMatchObject({ code: 400, message: expect.stringContaining('hash') });
    expect(await missing(founder, hash)).toEqual([{ hash, stored: 0 }]);
    // Somebody's wrong beginning spoils the whole once, not for ever.
    await put(founder, sampleBytes(50 * KB, 7), { hash, size: bytes.length });
    await expect(put(founder, bytes, { offset: 50 * KB })).rejects.toMatchObject({ code: 400 });
    expect(await put(founder, bytes)).toEqual({ stored: bytes.length, whole: true });
  });

  test('[R104] more than was announced, or than a blob may have, and an offset past the end', async () => {
    const { founder } = await claimedRoom();
    const bytes = sampleBytes(10 * KB, 1);
    await expect(put(founder, bytes, { size: 9 * KB })).rejects.toMatchObject({ code: 400 });
    await expect(put(founder, bytes, { size: BLOB_BYTES + 1 })).rejects.toMatchObject({ code: 413 });
    await expect(put(founder, bytes, { size: 1, offset: 2 })).rejects.toMatchObject({ code: 400 });
    await expect(put(founder, bytes, { hash: 'x' })).rejects.toMatchObject({ code: 400 });
    expect(await put(founder, bytes)).toMatchObject({ whole: true });
  });

  test('[R109] an upload that the storage refuses says so, and keeps what was stored before', async () => {
    const { founder, storage } = await claimedRoom();
    const bytes = sampleBytes(2 * PIECE_BYTES, 1);
    const hash = hashOf(bytes);
    await put(founder, bytes.subarray(0, PIECE_BYTES), { hash, size: bytes.length });
    storage.failure = new Error('database or disk is full');
    await expect(put(founder, bytes, { offset: PIECE_BYTES })).rejects.toMatchObject({
      code: 507,
      retryable: true,
      message: expect.stringContaining('disk is full'),
    });
    storage.failure = null;
    expect(await missing(founder, hash)).toEqual([{ hash, stored: PIECE_BYTES }]);
    expect(await put(founder, bytes, { offset: PIECE_BYTES })).toMatchObject({ whole: true });
  });

  test('[R110] users and drivers have nothing to do with blobs', async () => {
    const { connect } = await claimedRoom();
    const alice = await connect({ id: 'cli', role: 'user', username: 'alice', token: 'gsv_user_alice' });
    const hash = hashOf(sampleBytes(1, 1));
    await expect(ask(alice, 'blob.missing', { hashes: [hash] })).rejects.toMatchObject({ code: 403 });
    await expect(get(alice, hash)).rejects.toMatchObject({ code: 403 });
  });
});

describe('what nothing refers to', () => {
  const [kept, gone] = [sampleBytes(1000, 3), sampleBytes(2000, 4)];
  const hashes = [hashOf(kept), hashOf(gone)];

  /** Time goes by with nobody connected, so that no timer of a connection has to run all that time. */
  async function roomThatWaits() {
    const room = await claimedRoom();
    let kernel = room.founder;
    return {
      ...room,
      kernel: () => kernel,
      wait: async (ms: number): Promise<void> => {
        kernel.peer.close(1000, 'gone');
        await room.clock.advance(ms);
        kernel = await room.connect(replicaHello('replica-1'));
      },
    };
  }

  test('[R107] is kept for thirty days and then removed, unless somebody asks for it', async () => {
    const { kernel, wait } = await roomThatWaits();
    for (const bytes of [kept, gone]) await put(kernel(), bytes);
    const unknown = hashOf(sampleBytes(5, 5));
    const release = { hashes: [...hashes, ...hashes, unknown] };
    expect(await ask(kernel(), 'blob.release', release)).toEqual({ released: 2 });
    await wait(UNUSED_MS - 1);
    expect(await missing(kernel(), hashOf(kept))).toEqual([]);
    await wait(SWEEP_MS + 1);
    expect((await missing(kernel(), ...hashes)).map(({ hash }) => hash)).toEqual([hashOf(gone)]);
    await expect(get(kernel(), hashOf(gone))).rejects.toMatchObject({ code: 404 });
    await wait(2 * UNUSED_MS);
    expect((await get(kernel(), hashOf(kept))).bytes).toHaveLength(1000);
  });

  test.each([
    ['fetching', (kernel: Joined): Promise<unknown> => get(kernel, hashOf(kept))],
    ['uploading', (kernel: Joined): Promise<unknown> => put(kernel, kept)],
  ])('[R107] %s it again keeps it for good', async (_name, use) => {
    const { kernel, wait } = await roomThatWaits();
    await put(kernel(), kept);
    await ask(kernel(), 'blob.release', { hashes });
    await use(kernel());
    await wait(2 * UNUSED_MS);
    expect(await missing(kernel(), hashOf(kept))).toEqual([]);
  });

  test('[R107] a second release does not keep it longer, and a start of the room looks too', async () => {
    const { kernel, wait, storage, clock, restart } = await roomThatWaits();
    // The room looks every hour: not at the very moment at which the time is over.
    await wait(SWEEP_MS / 2);
    await put(kernel(), gone);
    await ask(kernel(), 'blob.release', { hashes });
    await wait(UNUSED_MS - 1000);
    await ask(kernel(), 'blob.release', { hashes });
    await clock.advance(1000);
    expect(await storage.blob(hashOf(gone))).toBeDefined();
    await restart();
    await clock.advance(0);
    expect(await storage.blob(hashOf(gone))).toBeUndefined();
  });

  test('[R107] an upload that nobody goes on with is removed after thirty days', async () => {
    const { kernel, wait, storage } = await roomThatWaits();
    const bytes = sampleBytes(20 * KB, 1);
    await put(kernel(), bytes.subarray(0, 10 * KB), { hash: hashOf(bytes), size: bytes.length });
    await wait(UNUSED_MS - 1000);
    expect(await storage.blob(hashOf(bytes))).toMatchObject({ stored: 10 * KB });
    await wait(2 * SWEEP_MS);
    expect(await storage.blob(hashOf(bytes))).toBeUndefined();
  });
});
