import { describe, expect, test } from 'vitest';
import { ProtocolError, SyscallError, toErrorShape } from './errors.ts';
import { checkFrame, decodeFrame } from './frames.ts';
import { limits } from './limits.ts';

const request = { type: 'req', id: '1', call: 'fs.read' };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let left = depth; left > 0; left -= 1) value = [value];
  return value;
}

describe('frames', () => {
  test.each([
    {
      ...request,
      args: { path: 'a' },
      key: 'k',
      ttl: 5,
      body: { channel: 1, size: 2 },
      stream: { channel: 3 },
    },
    { type: 'res', id: '1', ok: true, data: [1] },
    {
      type: 'res',
      id: '1',
      ok: false,
      error: { code: 404, message: 'no', details: { path: '/a' }, retryable: true },
    },
    { type: 'sig', signal: 'proc.changed', payload: { a: 1 }, seq: 3 },
  ])('[W1] a frame of $type is taken as it is', (frame) => {
    expect(decodeFrame(JSON.stringify(frame))).toEqual(frame);
    expect(checkFrame(frame)).toBe(frame);
  });

  test.each([
    ['a field that nobody knows', { ...request, extra: 1 }],
    ['an unknown type', { type: 'hello', id: '1' }],
    ['no type', { id: '1', call: 'fs.read' }],
    ['an empty id', { ...request, id: '' }],
    ['a long id', { ...request, id: 'x'.repeat(limits.idLength + 1) }],
    ['a number for an id', { ...request, id: 1 }],
    ['a long call name', { ...request, call: 'x'.repeat(limits.callLength + 1) }],
    ['a time left that is negative', { ...request, ttl: -1 }],
    ['a body on channel 0', { ...request, body: { channel: 0, size: 1 } }],
    ['a body over the limit', { ...request, body: { channel: 1, size: limits.bodyBytes + 1 } }],
    ['an unknown field in a body', { ...request, body: { channel: 1, size: 1, more: 1 } }],
    ['an answer that is both', { type: 'res', id: '1', ok: true, error: { code: 500, message: '' } }],
    ['a failure without error', { type: 'res', id: '1', ok: false }],
    ['an error code out of range', { type: 'res', id: '1', ok: false, error: { code: 7, message: '' } }],
    ['an array', [request]],
    ['null', null],
    ['text', 'req'],
  ])('[W2] %s makes a frame malformed', (_what, frame) => {
    expect(() => checkFrame(frame)).toThrow(ProtocolError);
    expect(() => decodeFrame(JSON.stringify(frame))).toThrow(ProtocolError);
  });

  test.each(['', '{', 'undefined', '{"type":"sig","signal":"x"', '\u0000'])(
    '[W2] %j is not a frame',
    (text) => {
      expect(() => decodeFrame(text)).toThrow(ProtocolError);
    },
  );

  test('[W3] depth, number of parts and bytes of a frame are bounded', () => {
    expect(checkFrame({ ...request, args: nested(limits.frameDepth - 1) })).toBeDefined();
    expect(() => checkFrame({ ...request, args: nested(limits.frameDepth) })).toThrow('too deep');
    expect(() => checkFrame({ ...request, args: Array(limits.frameNodes).fill(0) })).toThrow(
      'too many parts',
    );
    const overhead = JSON.stringify({ ...request, args: '' }).length;
    const fits = JSON.stringify({ ...request, args: 'x'.repeat(limits.frameBytes - overhead) });
    expect(decodeFrame(fits)).toBeDefined();
    expect(() => decodeFrame(`${fits} `)).toThrow('too long');
    const wide = JSON.stringify({ ...request, args: 'é'.repeat(limits.frameBytes / 2) });
    expect(() => decodeFrame(wide), 'bytes count, not characters').toThrow('too long');
  });

  test('[W3] a value that holds itself is refused, not followed for ever', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => checkFrame({ ...request, args: circle })).toThrow(ProtocolError);
  });
});

test('[W4] only a SyscallError tells its text to the other end', () => {
  expect(toErrorShape(new Error('/home/ada/secret'))).toEqual({ code: 500, message: 'Internal error' });
  expect(toErrorShape('text')).toEqual({ code: 500, message: 'Internal error' });
  const error = new SyscallError(429, 'slow down', { details: { n: 1 }, retryable: true });
  expect(toErrorShape(error)).toEqual({
    code: 429,
    message: 'slow down',
    details: { n: 1 },
    retryable: true,
  });
  expect(SyscallError.from(error.toShape())).toMatchObject({
    code: 429,
    message: 'slow down',
    retryable: true,
  });
  expect(new SyscallError(404, 'no').toShape()).toEqual({ code: 404, message: 'no' });
});
