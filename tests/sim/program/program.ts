import { Dice, hashOf } from '../engine/dice.ts';

/** How often each kind of operation comes up. */
const weights = {
  // The world goes on.
  deliver: 16,
  flow: 20,
  wait: 5,
  // People at a page.
  send: 9,
  approve: 6,
  stop: 1.5,
  unqueue: 1.5,
  reset: 0.6,
  spawn: 0.8,
  write: 6,
  edit: 4,
  remove: 2,
  takeOver: 1.5,
  readDevice: 1.5,
  configure: 1.5,
  // What goes wrong.
  cut: 3,
  partition: 2,
  killReplica: 1.5,
  killReplicaSoon: 2,
  killRoom: 0.8,
  killRoomSoon: 0.8,
  killDriver: 0.6,
  killDriverSoon: 0.8,
  fillDisk: 0.8,
  slowDisk: 0.8,
  fillRoom: 0.6,
  freeze: 1.2,
  jumpClock: 0.6,
} as const;

export type Kind = keyof typeof weights;

export function isKind(text: string): text is Kind {
  return Object.hasOwn(weights, text);
}

/** One thing that happens. What exactly follows from its own seed, so it is the same whatever came before it. */
export type Operation = { readonly kind: Kind; readonly seed: number };

/** A run: the seed of the world, and what happens in it. */
export type Program = { readonly seed: number; readonly operations: readonly Operation[] };

/** `more` makes some kinds come up more often. */
export function programOf(seed: number, length: number, more: Partial<Record<Kind, number>> = {}): Program {
  const dice = new Dice(hashOf(seed, 'program'));
  const operations = Array.from({ length }, (_, at): Operation => {
    return { kind: dice.weighted({ ...weights, ...more }), seed: hashOf(seed, 'operation', at) };
  });
  return { seed, operations };
}

/** A program of these kinds alone; weights stay as they are among them. */
export function programOfKinds(seed: number, length: number, kinds: readonly string[]): Program {
  const none = Object.keys(weights).flatMap((kind) => (kinds.includes(kind) ? [] : [[kind, 0]]));
  return programOf(seed, length, Object.fromEntries(none));
}

/** As one line: `17 send:9x2 flow:4kk`. */
export function textOf({ seed, operations }: Program): string {
  return [seed, ...operations.map(({ kind, seed: own }) => `${kind}:${own.toString(36)}`)].join(' ');
}

/** Throws on a text that `textOf` did not write. */
export function parseProgram(text: string): Program {
  const [seed = '', ...parts] = text.trim().split(/\s+/);
  const operations = parts.map((part): Operation => {
    const [kind = '', own = ''] = part.split(':');
    if (!isKind(kind)) throw new Error(`There is no operation ${kind}`);
    return { kind, seed: Number.parseInt(own, 36) };
  });
  if (!/^\d+$/.test(seed)) throw new Error('A program begins with its seed');
  return { seed: Number(seed), operations };
}
