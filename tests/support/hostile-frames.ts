import { fractions } from './numbers.ts';

/** Frames that are wrong in many ways, the same ones for the same seed. */
export function hostileFrames(seed: number, count: number): (string | Uint8Array)[] {
  const random = fractions(seed);
  return Array.from({ length: count }, () => makers[below(random, makers.length)]?.(random) ?? '');
}

type Random = () => number;
type Maker = (random: Random) => string | Uint8Array;

const strange: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'x',
  '__proto__',
  [],
  {},
  [[[]]],
  { __proto__: null, constructor: 1 },
  '\u0000',
  '\ud800',
  'é'.repeat(300),
];
const names = [
  'sys.connect',
  'fs.read',
  'doc.open',
  'shell.exec',
  'sys.setup',
  'constructor',
  'toString',
  '__proto__',
  'link.abort',
  '',
  'a'.repeat(65),
];
const signals = ['link.credit', 'link.cancel', 'link.end', 'link.fail', 'link.abort', 'doc.ack', ''];

const makers: Maker[] = [
  (random) => noise(random, below(random, 64)),
  (random) => binary(below(random, 4), noise(random, below(random, 40))),
  (random) => binary(below(random, 0xffffffff), new Uint8Array([0, below(random, 5), ...noise(random, 8)])),
  (random) => '{['.repeat(below(random, 40)),
  (random) => JSON.stringify(pick(random, strange)),
  (random) => truncated(random, request(random)),
  (random) => request(random),
  (random) =>
    JSON.stringify({
      type: pick(random, ['req', 'res', 'sig', 'x', 1, null]),
      id: pick(random, strange),
      ok: pick(random, strange),
    }),
  (random) =>
    JSON.stringify({ type: 'res', id: `c${below(random, 3)}`, ok: false, error: pick(random, strange) }),
  (random) =>
    JSON.stringify({
      type: 'sig',
      signal: pick(random, signals),
      payload: {
        channel: pick(random, [0, 1, 2, -1, 'x', 1e12]),
        bytes: pick(random, strange),
        error: pick(random, strange),
      },
    }),
  (random) =>
    `{"type":"sig","signal":"s","payload":${'['.repeat(below(random, 100))}${']'.repeat(below(random, 100))}}`,
];

function request(random: Random): string {
  const frame: Record<string, unknown> = {
    type: 'req',
    id: pick(random, ['1', '1', '2', ...strange]),
    call: pick(random, names),
    args: pick(random, strange),
  };
  if (random() < 0.3) frame.ttl = pick(random, [-1, 0, 1e99, 'soon', 5]);
  if (random() < 0.3) frame.body = { channel: below(random, 9), size: pick(random, [0, -1, 1e12, 5]) };
  if (random() < 0.3) frame.stream = { channel: pick(random, strange) };
  if (random() < 0.2) frame[pick(random, ['extra', '__proto__', 'key'])] = pick(random, strange);
  return JSON.stringify(frame);
}

function truncated(random: Random, text: string): string {
  return text.slice(0, below(random, text.length));
}

function binary(channel: number, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(4 + payload.length);
  new DataView(frame.buffer).setUint32(0, channel);
  frame.set(payload, 4);
  return frame;
}

function noise(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => below(random, 256));
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T;
}

function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}
