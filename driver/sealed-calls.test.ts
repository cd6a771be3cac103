import { createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CallDevice, DispatchOptions } from '../shared/kernel/dispatch.ts';
import { lengthAndText } from '../shared/kernel/seal/entry.ts';
import { DeviceSecret } from '../shared/kernel/seal/tunnel/device-secret.ts';
import { DeviceTunnel } from '../shared/kernel/seal/tunnel/device-tunnel.ts';
import { AnswerSealer, sealCall } from '../shared/kernel/seal/tunnel/messages.ts';
import { openBytes, sealBytes } from '../shared/kernel/seal/tunnel/sealed-bytes.ts';
import { SyscallError } from '../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../shared/protocol/peer.ts';
import { type ByteStream, readAll, streamOf } from '../shared/protocol/streams.ts';
import { concatBytes, fromBase64, toBase64, toBase64Url } from '../shared/std/bytes.ts';
import { linkedPeers } from '../tests/support/linked-peers.ts';
import { realRandom } from '../tests/support/platform.ts';
import { readText } from '../tests/support/sources.ts';
import { systemDocuments } from '../tests/support/system-doc.ts';
import { clearCalls, sealedCalls } from './sealed-calls.ts';

const counting = (from: number, length: number) => Uint8Array.from({ length }, (_, at) => (from + at) & 0xff);
const options = (): DispatchOptions => ({ signal: new AbortController().signal, timeoutMs: 5_000 });
const echo = async ({ call, args, key }: IncomingCall): Promise<Reply> => ({ data: { call, args, key } });
type Sent = { deviceId: string; sealed: string };

/** A kernel's tunnel and a driver's gate with a room between them, which sees and may change everything. */
function between(answer: (call: IncomingCall) => Promise<Reply>) {
  const { tables } = systemDocuments();
  const secret = DeviceSecret.make('box', realRandom);
  tables.deviceKeys.put('box', { deviceId: 'box', secret: secret.text, createdAt: 0 });
  const driver = { call: sealedCalls(secret, realRandom, answer) };
  const { near } = linkedPeers({ call: (call) => driver.call(call) });
  const room: { seen: Sent[]; relay: CallDevice; told: string[] } = {
    seen: [],
    told: [],
    relay: async (_deviceId, call, args, { onProgress, ...more }) => {
      room.seen.push(args as Sent);
      const heard = (text: string): void => {
        room.told.push(text);
        onProgress?.(text);
      };
      const reply = await near.call(call, args, { ...given(more), onProgress: heard });
      return { data: reply.data, stream: reply.stream };
    },
  };
  const secretOf = (deviceId: string) => tables.deviceKeys.get(deviceId)?.secret;
  const parts = { secretOf, random: realRandom, sealed: () => true };
  const tunnel = new DeviceTunnel({ ...parts, callDevice: (...call) => room.relay(...call) });
  return { tunnel, room, near, driver, secret, tables };
}

function given({ signal, timeoutMs, stream }: DispatchOptions) {
  return { signal, timeoutMs, ...(stream ? { stream } : {}) };
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, n) => (n === at ? byte ^ 1 : byte));

describe('calls to a device of a sealed GSV', () => {
  test('[S170] a call is what its vector says, and another program opens it by what is said there', async () => {
    const secret = DeviceSecret.parse('box', toBase64Url(counting(0, 32)));
    if (!secret) throw new Error('no secret');
    const random = { bytes: (length: number) => counting(0x20, length), uuid: () => 'unused' };
    const { text } = await sealCall(secret, { session: 's', call: 'fs.read', args: { path: 'a' } }, random);
    expect(readText('SPEC.md')).toContain(`tunnel ${text}`);
    const bytes = fromBase64(text);
    const info = concatBytes([lengthAndText('call'), lengthAndText('box'), bytes.subarray(1, 17)]);
    const key = new Uint8Array(hkdfSync('sha256', counting(0, 32), 'gsv device 1', info, 32));
    const iv = concatBytes([new Uint8Array(7), new Uint8Array([1, 0, 0, 0, 0])]);
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(bytes.subarray(-16));
    const opened = concatBytes([decipher.update(bytes.subarray(17, -16)), decipher.final()]);
    expect(JSON.parse(new TextDecoder().decode(opened))).toEqual({
      session: 's',
      call: 'fs.read',
      args: { path: 'a' },
    });
  });

  test('[S171] arguments, results, errors, progress and bytes reach each other, and nothing of them the room', async () => {
    const { tunnel, room } = between(async (call) => {
      if (call.call === 'fs.delete') throw new SyscallError(400, 'PRIVATE refusal', { retryable: true });
      for (const text of ['PRIVATE one', 'PRIVATE two']) call.progress(text);
      const stream = call.stream && streamOf(await readAll(call.stream, 1e9));
      return {
        data: { said: 'PRIVATE result', args: call.args, key: call.key },
        ...(stream ? { stream } : {}),
      };
    });
    const told: string[] = [];
    const args = { input: 'PRIVATE command' };
    const answer = await tunnel.call('box', 'shell.exec', args, {
      ...options(),
      key: 'PRIVATE key',
      onProgress: (text) => told.push(text),
    });
    expect(answer.data).toEqual({ said: 'PRIVATE result', args, key: 'PRIVATE key' });
    expect(told).toEqual(['PRIVATE one', 'PRIVATE two']);
    const bytes = new Uint8Array(randomBytes(1_000_000));
    const { stream } = await tunnel.call(
      'box',
      'fs.transfer.write',
      {},
      { ...options(), stream: streamOf(bytes) },
    );
    expect(stream && Buffer.compare(await readAll(stream, 1e9), bytes)).toBe(0);
    await expect(tunnel.call('box', 'fs.delete', {}, options())).rejects.toMatchObject({
      code: 400,
      message: 'PRIVATE refusal',
      retryable: true,
    });
    const passed = [...room.seen.map(({ sealed }) => sealed), ...room.told];
    expect(room.told.length).toBe(4);
    for (const text of passed)
      expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain('PRIVATE');
    expect(JSON.stringify(room.seen)).not.toMatch(/PRIVATE|shell|transfer/);
  });

  test('[S172] a call that was changed in any byte, or comes a second time, does nothing', async () => {
    const calls: unknown[] = [];
    const { tunnel, room, near } = between(async (call) => {
      calls.push(call.args);
      return { data: null };
    });
    await tunnel.call('box', 'shell.exec', { input: 'once' }, options());
    const sent = room.seen.at(-1);
    if (!sent) throw new Error('nothing was sent');
    expect(calls).toEqual([{ input: 'once' }]);
    await near.call('device.call', sent);
    const bytes = fromBase64(sent.sealed);
    for (let at = 0; at < bytes.length; at += 1) {
      const sealed = toBase64(flipped(bytes, at));
      await expect(near.call('device.call', { ...sent, sealed }), `byte ${at}`).rejects.toMatchObject({
        code: 403,
      });
    }
    expect(calls.length).toBe(1);
  });

  test('[S172] a driver that was started again takes no call of before, and the kernel makes its own again', async () => {
    const calls: unknown[] = [];
    const answer = async (call: IncomingCall): Promise<Reply> => {
      calls.push(call.args);
      return { data: 'done' };
    };
    const { tunnel, room, near, driver, secret } = between(answer);
    await tunnel.call('box', 'shell.exec', { input: 'before' }, options());
    const old = room.seen.at(-1);
    driver.call = sealedCalls(secret, realRandom, answer);
    await near.call('device.call', old);
    expect(calls).toEqual([{ input: 'before' }]);
    expect((await tunnel.call('box', 'shell.exec', { input: 'after' }, options())).data).toBe('done');
    driver.call = sealedCalls(secret, realRandom, answer);
    const stream = streamOf(new Uint8Array(10));
    await tunnel.call('box', 'fs.transfer.write', { path: 'a' }, { ...options(), stream });
    expect(calls.slice(1)).toEqual([{ input: 'after' }, { path: 'a' }]);
  });

  test('[S172] after many calls a session ends, and what was taken in it is refused still', async () => {
    const { tunnel, room, near, driver, secret } = between(echo);
    let taken = 0;
    const count = async (): Promise<Reply> => {
      taken += 1;
      return { data: taken };
    };
    driver.call = sealedCalls(secret, realRandom, count, 3);
    const make = () => tunnel.call('box', 'shell.exec', { input: 'x' }, options());
    await make();
    const first = room.seen.at(-1);
    for (let left = 3; left > 0; left -= 1) await make();
    expect(taken).toBe(4);
    await near.call('device.call', first);
    expect(taken).toBe(4);
    expect((await make()).data).toBe(5);
  });

  test('[S173] an answer that was changed, or belongs to another call, is not taken for one', async () => {
    const { tunnel, room } = between(echo);
    const honest = room.relay;
    const answers: unknown[] = [];
    room.relay = async (...call) => {
      const answer = await honest(...call);
      answers.push(answer.data);
      return answer;
    };
    await tunnel.call('box', 'fs.read', { path: 'one' }, options());
    room.relay = async () => ({ data: answers.at(-1), stream: undefined });
    const refused = { code: 502, message: 'What came back is not what box answered' };
    await expect(tunnel.call('box', 'fs.read', { path: 'two' }, options())).rejects.toMatchObject(refused);
    room.relay = async (...call) => {
      const { sealed } = (await honest(...call)).data as { sealed: string };
      return { data: { sealed: toBase64(flipped(fromBase64(sealed), 20)) }, stream: undefined };
    };
    await expect(tunnel.call('box', 'fs.read', { path: 'two' }, options())).rejects.toMatchObject({
      ...refused,
      details: { inFlight: true },
    });
  });

  test('[S173] progress that is made up, changed, repeated or turned round is not shown', async () => {
    const { tunnel, room, secret } = between(async (call) => {
      for (const text of ['one', 'two', 'three']) call.progress(text);
      return { data: null };
    });
    const honest = room.relay;
    room.relay = async (deviceId, call, args, given) => {
      const said: string[] = [];
      const answer = await honest(deviceId, call, args, { ...given, onProgress: (text) => said.push(text) });
      const [one = '', two = '', three = ''] = said;
      const made = await new AnswerSealer(secret, counting(0, 16), realRandom).progress('made up');
      for (const text of ['', 'x', made, one, three, two, one, three]) given.onProgress?.(text);
      return answer;
    };
    const told: string[] = [];
    await tunnel.call('box', 'shell.exec', {}, { ...options(), onProgress: (text) => told.push(text) });
    expect(told).toEqual(['one', 'three']);
  });

  test('[S174] bytes that are cut short, changed, repeated or turned round are an error', async () => {
    const cipher = await DeviceSecret.make('box', realRandom).cipher('bytes in', []);
    const bytes = new Uint8Array(randomBytes(300_000));
    const sealed = await readAll(sealBytes(streamOf(bytes), cipher), 1e9);
    const read = (stream: ByteStream) => readAll(openBytes(stream, cipher), 1e9);
    expect(Buffer.compare(await read(inPieces(sealed, 1000)), bytes)).toBe(0);
    expect((await read(sealBytes(streamOf(new Uint8Array()), cipher))).length).toBe(0);
    const part = 5 + 128 * 1024 + 16;
    const [one, two, rest] = [sealed.slice(0, part), sealed.slice(part, 2 * part), sealed.slice(2 * part)];
    for (const wrong of [
      [one, two],
      [one, rest],
      [two, one, rest],
      [one, one, two, rest],
      [one, two, rest, new Uint8Array(1)],
      [one, two, rest, rest],
      [rest.slice(-21)],
      [flipped(sealed, 0)],
      [flipped(sealed, 1)],
      [flipped(sealed, 200_000)],
      [flipped(sealed, sealed.length - 1)],
      [sealed.slice(0, -1)],
    ])
      await expect(read(streamOf(concatBytes(wrong)))).rejects.toMatchObject({ code: 502 });
  });

  test('[D76] a device with a secret refuses what is in the clear, one without what is sealed, in words', async () => {
    const { near } = between(echo);
    await expect(near.call('shell.exec', { input: 'id' })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('Act from a browser'),
    });
    const old = linkedPeers({ call: clearCalls(echo) }).near;
    expect((await old.call('shell.exec', {})).data).toMatchObject({ call: 'shell.exec' });
    await expect(old.call('device.call', { deviceId: 'box', sealed: 'AA==' })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('Pair it again'),
    });
  });

  test('[K176] in a sealed GSV nothing is sent to a device that was added before; elsewhere calls go as they are', async () => {
    const { tunnel, room } = between(echo);
    await expect(tunnel.call('old', 'shell.exec', { input: 'id' }, options())).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('Pair it again'),
    });
    expect(room.seen).toEqual([]);
    const sent: unknown[] = [];
    const callDevice: CallDevice = async (deviceId, call, args) => {
      sent.push([deviceId, call, args]);
      return { data: 'plain', stream: undefined };
    };
    const open = new DeviceTunnel({
      secretOf: () => undefined,
      random: realRandom,
      sealed: () => false,
      callDevice,
    });
    expect((await open.call('old', 'shell.exec', { input: 'id' }, options())).data).toBe('plain');
    expect(sent).toEqual([['old', 'shell.exec', { input: 'id' }]]);
  });

  test('[K176] a device that was paired again is asked under its new secret', async () => {
    const { tunnel, driver, tables } = between(echo);
    await tunnel.call('box', 'fs.read', { path: 'a' }, options());
    const next = DeviceSecret.make('box', realRandom);
    tables.deviceKeys.put('box', { deviceId: 'box', secret: next.text, createdAt: 1 });
    await expect(tunnel.call('box', 'fs.read', { path: 'a' }, options())).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('start it with the new line'),
    });
    driver.call = sealedCalls(next, realRandom, echo);
    expect((await tunnel.call('box', 'fs.read', { path: 'a' }, options())).data).toMatchObject({
      call: 'fs.read',
    });
  });
});

function inPieces(bytes: Uint8Array, length: number): ByteStream {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + length));
      at += length;
      if (at >= bytes.length) controller.close();
    },
  });
}
