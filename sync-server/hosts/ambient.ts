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
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  uuid: () => crypto.randomUUID(),
};

/** The comma-separated host names of a setting. */
export function hostList(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}
