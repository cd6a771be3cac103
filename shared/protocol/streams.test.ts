import { describe, expect, test } from 'vitest';
import { linkedPeers, until } from '../../tests/support/linked-peers.ts';
import { turns } from '../../tests/support/turns.ts';
import { limits } from './limits.ts';
import type { Reply } from './peer.ts';
import { type ByteStream, readAll, streamOf } from './streams.ts';

/** A source of `total` bytes that counts what was taken from it. */
function counted(total: number, chunk = 64 * 1024) {
  const state = { given: 0, cancelled: false };
  const stream: ByteStream = new ReadableStream<Uint8Array>(
    {
      pull: (to) => {
        const length = Math.min(chunk, total - state.given);
        if (length === 0) return to.close();
        state.given += length;
        to.enqueue(new Uint8Array(length).fill(state.given % 251));
      },
      cancel: () => {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, stream };
}

async function streamFrom(source: ByteStream) {
  const peers = linkedPeers({ call: async (): Promise<Reply> => ({ stream: source }) });
  const { stream } = await peers.near.call('x', {});
  if (!stream) throw new Error('no stream came');
  return { ...peers, stream };
}

describe('back-pressure', () => {
  test('[W17] a stream that nobody reads takes at most one chunk from its source', async () => {
    const { state, stream } = counted(20e6);
    await streamFrom(stream);
    await turns(50);
    expect(state.given).toBeLessThanOrEqual(limits.chunkBytes);
  });

  test('[W17] a reader that stops is never more than a window and a chunk behind', async () => {
    const { state, stream: source } = counted(40e6);
    const { stream } = await streamFrom(source);
    const reader = stream.getReader();
    let read = 0;
    for (let reads = 0; reads < 40; reads += 1) {
      const step = await reader.read();
      read += step.value?.length ?? 0;
      if (reads % 10 === 9) await turns(100);
      expect(state.given - read).toBeLessThanOrEqual(limits.windowBytes + limits.chunkBytes);
    }
    expect(read).toBeGreaterThan(limits.windowBytes);
  });

  test('[W17] who sends more than was granted loses the link', async () => {
    const { nearEnd } = linkedPeers({
      call: ({ stream }) => readAll(stream ?? streamOf(new Uint8Array(0)), 1e9).then(() => ({})),
    });
    nearEnd.inject(JSON.stringify({ type: 'req', id: '1', call: 'x', stream: { channel: 1 } }));
    await turns(5);
    const frame = new Uint8Array(4 + limits.windowBytes + 1);
    frame[3] = 1;
    nearEnd.inject(frame);
    await until(() => nearEnd.closedWith !== null);
    expect(nearEnd.closedWith).toContain('granted');
  });
});

describe('whole or an error', () => {
  test('[W18] every byte arrives in order, also of a large stream', async () => {
    const bytes = Uint8Array.from({ length: 3_000_001 }, (_, at) => (at * 7) % 256);
    const { stream } = await streamFrom(streamOf(bytes));
    expect(Buffer.compare(await readAll(stream, 4e6), bytes)).toBe(0);
    const empty = await streamFrom(streamOf(new Uint8Array(0)));
    expect(await readAll(empty.stream, 1)).toHaveLength(0);
  });

  test('[W19] a link that closes in the middle fails the reader and cancels the source', async () => {
    const { state, stream: source } = counted(20e6);
    const { stream, farEnd } = await streamFrom(source);
    const reader = stream.getReader();
    await reader.read();
    farEnd.close(1001, 'gone');
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) return;
      })(),
    ).rejects.toMatchObject({ code: 503 });
    await until(() => state.cancelled, 'the cancel');
    expect(state.given).toBeLessThan(20e6);
  });

  test('[W19] a source that has nothing to give is cancelled with its link', async () => {
    let cancelled = false;
    const quiet: ByteStream = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const { far, near } = await streamFrom(quiet);
    near.close(1000, 'bye');
    await until(() => cancelled, 'the cancel');
    expect(far.streams.open).toBe(0);
  });

  test('[W19] a source that fails, and an end with another count, are errors for the reader', async () => {
    const broken: ByteStream = new ReadableStream<Uint8Array>({
      start: (to) => {
        to.enqueue(new Uint8Array(10));
        to.error(new Error('/secret/path'));
      },
    });
    const failing = await streamFrom(broken);
    await expect(readAll(failing.stream, 100)).rejects.toMatchObject({
      code: 500,
      message: 'Internal error',
    });

    const { near, farEnd } = linkedPeers({ call: () => new Promise(() => {}) });
    const answer = near.call('x', {});
    farEnd.inject(JSON.stringify({ type: 'res', id: 'c1', ok: true, stream: { channel: 2 } }));
    const { stream } = await answer;
    const all = readAll(stream ?? streamOf(new Uint8Array(0)), 100);
    await turns(5);
    farEnd.inject(Uint8Array.of(0, 0, 0, 2, 7, 7));
    farEnd.inject(JSON.stringify({ type: 'sig', signal: 'link.end', payload: { channel: 2, bytes: 3 } }));
    await expect(all).rejects.toMatchObject({ code: 502 });
  });

  test('[W20] a reader that stops early makes the sender stop', async () => {
    const { state, stream: source } = counted(20e6);
    const { stream, near, far } = await streamFrom(source);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await until(() => state.cancelled, 'the cancel');
    await turns(5);
    expect(near.streams.open + far.streams.open).toBe(0);
    expect(far.closed).toBe(false);
  });

  test('[W20] more bytes than the reader takes are refused', async () => {
    await expect(readAll(streamOf(new Uint8Array(11)), 10)).rejects.toMatchObject({ code: 413 });
  });

  test('[W21] a channel that is taken, and more than 1,024 at once, close the link', async () => {
    const request = (id: number, channel: number): string =>
      JSON.stringify({ type: 'req', id: String(id), call: 'x', stream: { channel } });
    const reads = { call: () => new Promise<Reply>(() => {}) };
    const twice = linkedPeers(reads);
    twice.nearEnd.inject(request(1, 5));
    twice.nearEnd.inject(request(2, 5));
    await until(() => twice.nearEnd.closedWith !== null);
    expect(twice.nearEnd.closedWith).toContain('taken');

    const { far, nearEnd } = linkedPeers(reads);
    nearEnd.inject(request(0, 1));
    await until(() => far.streams.open === 1);
    for (let channel = 2; channel <= limits.channels; channel += 1) far.streams.receive(channel);
    expect(() => far.streams.receive(limits.channels + 1)).toThrow('too many channels');
  });
});
