import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import type { WriterHead } from './entry.ts';
import { SealFault } from './fault.ts';
import { Heads, type Placed } from './heads.ts';

const hashOfText = (text: string) => Buffer.from(text).toString('hex').padEnd(64, '0');

/** A log that writers made while each read all of it, in the order in which the room stored it. */
function honestLog(random: SeededRandom, length: number): Placed[] {
  const heads = new Heads();
  const read = new Map<string, Map<string, number>>();
  return Array.from({ length }, (_, at) => {
    const writer = random.pick(['a', 'b', 'c']);
    const { n, hash: previous } = heads.of(writer);
    const seen = read.get(writer) ?? new Map<string, number>();
    read.set(writer, seen);
    const witnesses = heads.list().filter((one) => one.writer !== writer && seen.get(one.writer) !== one.n);
    for (const one of witnesses) seen.set(one.writer, one.n);
    const entry = {
      head: { writer, n: n + 1, previous, witnesses },
      hash: hashOfText(`${writer}${n}/${at}`),
    };
    heads.follow(entry);
    return entry;
  });
}

function faultOf(run: () => void): string | null {
  try {
    run();
    return null;
  } catch (thrown) {
    return thrown instanceof SealFault ? thrown.kind : 'something else';
  }
}

/** Reads a log from the start; the fault that it ends with. */
function read(log: readonly Placed[], heads = new Heads()): string | null {
  return faultOf(() => {
    for (const entry of log) heads.follow(entry);
  });
}

describe('heads', () => {
  test('[S143] an honest log is read from its start to its end, from anywhere on', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = new SeededRandom(seed);
      const log = honestLog(random, 30);
      const heads = new Heads();
      expect(read(log.slice(0, random.below(30)), heads)).toBeNull();
      for (const entry of log) if (heads.standing(entry) === 'next') heads.follow(entry);
      expect(heads.list().reduce((sum, { n }) => sum + n, 0)).toBe(30);
    }
  });

  test('[S143] an entry left out is noticed as soon as its writer, or one who had read it, writes again', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const log = honestLog(random, 30);
      const at = random.below(29);
      const gone = log[at]?.head;
      const later = log.slice(at + 1);
      const noticed = later.some(
        ({ head }) =>
          head.writer === gone?.writer ||
          head.witnesses.some(({ writer, n }) => writer === gone?.writer && n >= (gone?.n ?? 0)),
      );
      expect(read([...log.slice(0, at), ...later])).toBe(noticed ? 'gap' : null);
    }
  });

  test('[S143] an entry repeated, moved before what its writer had read, or replaced is noticed', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const log = honestLog(random, 20);
      const at = random.below(19);
      const [one, two] = [log[at], log[at + 1]];
      if (!one || !two) throw new Error('There is no such entry');
      expect(read([...log.slice(0, at + 1), one])).toBe('repeated');
      const swapped = read([...log.slice(0, at), two, one]);
      const apart = one.head.writer !== two.head.writer;
      const unread = !two.head.witnesses.some(
        ({ writer, n }) => writer === one.head.writer && n === one.head.n,
      );
      expect(swapped).toBe(apart && unread ? null : 'gap');
      const other = { ...one, hash: hashOfText('other') };
      expect(faultOf(() => reader(log.slice(0, at + 1)).standing(other))).toBe('fork');
      const next = {
        head: { ...one.head, n: one.head.n + 1, previous: hashOfText('no'), witnesses: [] },
        hash: 'x',
      };
      expect(faultOf(() => reader(log.slice(0, at + 1)).standing(next))).toBe('fork');
    }
  });

  test('[S144] a snapshot takes heads forward alone, and one that contradicts what is known is refused', () => {
    const heads = new Heads([head('a', 5), head('b', 2)]);
    expect(heads.beyond([head('a', 4), head('b', 2)])).toEqual([]);
    expect(heads.beyond([head('a', 6), head('b', 2), head('c', 1)])).toEqual([head('a', 6), head('c', 1)]);
    heads.cover([head('a', 4), head('b', 3)]);
    expect(heads.list()).toEqual([head('a', 5), head('b', 3)]);
    const forged = { ...head('a', 5), hash: hashOfText('forged') };
    expect(faultOf(() => heads.cover([head('b', 9), forged]))).toBe('fork');
    expect(heads.list(), 'and nothing of it is taken').toEqual([head('a', 5), head('b', 3)]);
  });
});

function head(writer: string, n: number): WriterHead {
  return { writer, n, hash: hashOfText(`${writer}${n}`) };
}

function reader(log: readonly Placed[]): Heads {
  const heads = new Heads();
  for (const entry of log) heads.follow(entry);
  return heads;
}
