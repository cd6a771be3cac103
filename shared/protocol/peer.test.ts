import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { linkedPeers, until } from '../../tests/support/linked-peers.ts';
import { ManualClock } from '../../tests/support/manual-clock.ts';
import { realClock } from '../../tests/support/platform.ts';
import { turn, turns } from '../../tests/support/turns.ts';
import { deferred } from '../std/deferred.ts';
import { SyscallError } from './errors.ts';
import { limits } from './limits.ts';
import { type IncomingCall, Peer, type Reply } from './peer.ts';
import { type PortLike, PortLink } from './port-link.ts';
import { readAll, streamOf } from './streams.ts';

const silent = () => new Promise<Reply>(() => {});
const echo = async (call: IncomingCall): Promise<Reply> => ({ data: call.args });

test('[W29] what a call has so far reaches its caller as text, in order, and nothing after its answer', async () => {
  const heard: string[] = [];
  let late: IncomingCall | undefined;
  const { near } = linkedPeers({
    call: async (call) => {
      late = call;
      call.progress('one ');
      call.progress('two');
      return { data: 'done' };
    },
  });
  await near.call('long', {}, { onProgress: (text) => heard.push(text) });
  late?.progress('too late');
  await turns(5);
  expect(heard).toEqual(['one ', 'two']);
});

describe('a call settles', () => {
  test('[W5] with the answer to it, whatever the order of answers', async () => {
    const first = deferred<Reply>();
    const { near } = linkedPeers({ call: (call) => (call.call === 'a' ? first.promise : echo(call)) });
    const slow = near.call('a', {});
    expect(await near.call('b', { n: 2 })).toEqual({ data: { n: 2 } });
    first.resolve({ data: 'late' });
    expect(await slow).toEqual({ data: 'late' });
  });

  test('[W5] with the error that the handler threw, and nothing more of an unexpected one', async () => {
    const refused = new SyscallError(409, 'taken', { details: { by: 'x' } });
    const { near } = linkedPeers({
      call: async ({ call }) => {
        throw call === 'known' ? refused : new Error('at /home/ada/kernel.ts:3');
      },
    });
    await expect(near.call('known', {})).rejects.toMatchObject({
      code: 409,
      message: 'taken',
      details: { by: 'x' },
    });
    await expect(near.call('other', {})).rejects.toMatchObject({ code: 500, message: 'Internal error' });
  });

  test('[W6] with 504 when its time is over, and the far end is told to stop', async () => {
    const clock = new ManualClock();
    let incoming: IncomingCall | undefined;
    const call = (arrived: IncomingCall): Promise<Reply> => {
      incoming = arrived;
      return silent();
    };
    const { near } = linkedPeers({ call }, clock);
    const late = near.call('x', {}, { timeoutMs: 1000 });
    const settled = expect(late).rejects.toMatchObject({
      code: 504,
      message: 'Syscall timed out',
      retryable: true,
    });
    await until(() => incoming !== undefined);
    expect(incoming?.ttl).toBe(1000);
    await clock.advance(999);
    expect(incoming?.signal.aborted).toBe(false);
    await clock.advance(1);
    await settled;
    await until(() => incoming?.signal.aborted === true);
  });

  test('[W7] with 499 when the caller gives up, before or after it was sent', async () => {
    let incoming: IncomingCall | undefined;
    const { near } = linkedPeers({
      call: (arrived) => {
        incoming = arrived;
        return silent();
      },
    });
    const given = new AbortController();
    const call = near.call('x', {}, { signal: given.signal });
    await until(() => incoming !== undefined);
    given.abort();
    await expect(call).rejects.toMatchObject({ code: 499 });
    await until(() => incoming?.signal.aborted === true);
    expect(incoming?.signal.reason).toMatchObject({ code: 499 });
    await expect(near.call('y', {}, { signal: given.signal })).rejects.toMatchObject({ code: 499 });
  });

  test('[W8] with 503 when the link closes, which says that the call was in flight', async () => {
    let incoming: IncomingCall | undefined;
    const { near, farEnd } = linkedPeers({
      call: (arrived) => {
        incoming = arrived;
        return silent();
      },
    });
    const call = near.call('x', {});
    await until(() => incoming !== undefined);
    farEnd.close(1001, 'going away');
    await expect(call).rejects.toMatchObject({ code: 503, retryable: true, details: { inFlight: true } });
    expect(incoming?.signal.reason).toMatchObject({ code: 503 });
    expect(near.closed).toBe(true);
    const after = near.call('y', {});
    await expect(after).rejects.toMatchObject({ code: 503, details: undefined });
  });

  test('[W8] a loss further back is passed on as a loss, not as somebody’s decision', async () => {
    let incoming: IncomingCall | undefined;
    const { near } = linkedPeers({
      call: (arrived) => {
        incoming = arrived;
        return silent();
      },
    });
    const given = new AbortController();
    const call = near.call('x', {}, { signal: given.signal });
    await until(() => incoming !== undefined);
    given.abort(new SyscallError(503, 'the page is gone'));
    await expect(call).rejects.toMatchObject({ code: 499 });
    await until(() => incoming?.signal.aborted === true);
    expect(incoming?.signal.reason).toMatchObject({ code: 503 });
  });

  test('[W9] with 400 when its arguments cannot be sent at all', async () => {
    const { port1, port2 } = new MessageChannel();
    const handlers = { call: echo, signal: () => {}, closed: () => {} };
    const near = new Peer(new PortLink(port1 as unknown as PortLike), 'connecting', realClock, handlers);
    const far = new Peer(new PortLink(port2 as unknown as PortLike), 'accepting', realClock, handlers);
    await expect(near.call('x', { run: () => {} })).rejects.toMatchObject({ code: 400 });
    expect(await near.call('x', { n: 1 })).toEqual({ data: { n: 1 } });
    far.close(1000, 'done');
    near.close(1000, 'done');
  });
});

describe('bodies', () => {
  const long = { text: 'ä'.repeat(400_000), list: Array.from({ length: 1000 }, (_, n) => ({ n })) };

  test('[W10] arguments and results over 256 KiB travel beside their frame, both ways', async () => {
    const { near, nearEnd, farEnd } = linkedPeers({ call: echo });
    expect((await near.call('x', long)).data).toEqual(long);
    for (const end of [nearEnd, farEnd]) {
      const texts = end.arrived.filter((message) => typeof message === 'string');
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(1000);
      expect(texts.some((text) => text.includes('"body":{"channel":'))).toBe(true);
    }
  });

  test('[W10] what is shorter stands in its frame', async () => {
    const { near, farEnd } = linkedPeers({ call: echo });
    const text = 'x'.repeat(limits.inlineBytes - 100);
    expect((await near.call('x', { text })).data).toEqual({ text });
    expect(
      farEnd.arrived.every((message) => typeof message === 'string' && !message.includes('"body"')),
    ).toBe(true);
  });

  test('[W11] a body that is cut short, not JSON, too deep or of another size is refused and reaches no handler', async () => {
    let handled = 0;
    const { nearEnd } = linkedPeers({
      call: async () => {
        handled += 1;
        return {};
      },
    });
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
    const bodies: [Uint8Array, number, number][] = [
      [encode('{"a":1}'), 9, 7],
      [encode('{"a":'), 5, 5],
      [Uint8Array.of(0xff, 0xfe), 2, 2],
      [encode('['.repeat(100) + ']'.repeat(100)), 200, 200],
      [encode('{}'), 2, 3],
    ];
    for (const [at, [bytes, size, ended]] of bodies.entries()) {
      const channel = 2 * at + 1;
      nearEnd.inject(JSON.stringify({ type: 'req', id: `b${at}`, call: 'x', body: { channel, size } }));
      await until(() =>
        nearEnd.arrived.some(
          (text) => String(text).includes('link.credit') && String(text).includes(`"channel":${channel},`),
        ),
      );
      const frame = new Uint8Array(4 + bytes.length);
      new DataView(frame.buffer).setUint32(0, channel);
      frame.set(bytes, 4);
      nearEnd.inject(frame);
      nearEnd.inject(JSON.stringify({ type: 'sig', signal: 'link.end', payload: { channel, bytes: ended } }));
      await until(
        () => nearEnd.arrived.some((text) => String(text).includes(`"id":"b${at}","ok":false`)),
        `answer ${at}`,
      );
    }
    expect(handled).toBe(0);
    expect(nearEnd.closedWith).toBeNull();
  });
});

describe('a link', () => {
  test.each([
    ['a frame that is not JSON', '{"type"', 'not JSON'],
    ['an unknown field', '{"type":"sig","signal":"x","more":1}', 'malformed'],
    ['a binary frame without a channel', Uint8Array.of(1, 2), 'too short'],
    ['a stream signal without a channel', '{"type":"sig","signal":"link.credit","payload":{}}', 'malformed'],
  ])('[W12] is closed by %s, with the reason', async (_what, message, reason) => {
    const { far, nearEnd } = linkedPeers({ call: echo });
    nearEnd.inject(message);
    await until(() => nearEnd.closedWith !== null);
    expect(nearEnd.closedWith).toContain(reason);
    expect(far.closed).toBe(true);
  });

  test('[W13] is closed by a request id that is in use', async () => {
    const { nearEnd } = linkedPeers({ call: silent });
    const frame = JSON.stringify({ type: 'req', id: 'same', call: 'x' });
    nearEnd.inject(frame);
    nearEnd.inject(frame);
    await until(() => nearEnd.closedWith !== null);
    expect(nearEnd.closedWith).toContain('in use');
  });

  test('[W14] answers 429 beyond 1,024 unanswered calls, and goes on', async () => {
    const release = deferred<Reply>();
    let handled = 0;
    const { near } = linkedPeers({
      call: () => {
        handled += 1;
        return release.promise;
      },
    });
    const waiting = Array.from({ length: limits.pendingCalls }, () => near.call('x', {}));
    await until(() => handled === limits.pendingCalls);
    await expect(near.call('x', {})).rejects.toMatchObject({ code: 429, retryable: true });
    release.resolve({ data: 1 });
    expect(await Promise.all(waiting)).toHaveLength(limits.pendingCalls);
    expect(await near.call('x', {})).toEqual({ data: 1 });
  });

  test('[W15] an answer that nobody waits for is dropped, and its bytes are not wanted', async () => {
    const source = streamOf(new Uint8Array(10));
    const answer = deferred<Reply>();
    const { near, far } = linkedPeers({ call: () => answer.promise });
    const given = new AbortController();
    const call = near.call('x', {}, { signal: given.signal });
    await turn();
    given.abort();
    await expect(call).rejects.toMatchObject({ code: 499 });
    answer.resolve({ data: 1, stream: source });
    await turns(10);
    expect(near.streams.open + far.streams.open).toBe(0);
    expect([near.closed, far.closed]).toEqual([false, false]);
  });

  test('[R204] bytes of an answer whose link has closed are not read', async () => {
    let cancelled = false;
    const source = new ReadableStream<Uint8Array>(
      {
        pull: (to) => to.enqueue(new Uint8Array(1000)),
        cancel: () => {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const answer = deferred<Reply>();
    const { near, far } = linkedPeers({ call: () => answer.promise });
    void near.call('x', {}).catch(() => {});
    await turn();
    near.close(1000, 'gone');
    await turns(2);
    answer.resolve({ stream: source });
    await turns(10);
    expect(cancelled).toBe(true);
    expect(far.streams.open).toBe(0);
  });

  test('[W15] bytes that a handler did not read are not wanted once it has answered', async () => {
    const { near, far } = linkedPeers({ call: async () => ({ data: 'no' }) });
    const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(1000)) });
    await near.call('x', {}, { stream: endless });
    await turns(10);
    expect(near.streams.open + far.streams.open).toBe(0);
  });

  test('[W16] bytes accompany a call and its answer', async () => {
    const { near } = linkedPeers({
      call: async ({ stream }) => ({ data: 'here', ...(stream ? { stream } : {}) }),
    });
    const bytes = Uint8Array.from({ length: 700_000 }, (_, at) => at % 251);
    const answer = await near.call('x', {}, { stream: streamOf(bytes) });
    const back = answer.stream && (await readAll(answer.stream, 1e6));
    expect(back && Buffer.compare(back, bytes)).toBe(0);
  });
});
