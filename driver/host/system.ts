import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
  uuid: () => randomUUID(),
};
