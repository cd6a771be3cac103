import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';

/** `setTimeout` takes at most this many milliseconds; longer waits are made of several. */
const MAX_TIMEOUT = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      const step = Math.min(Math.max(0, left), MAX_TIMEOUT);
      timer = setTimeout(() => (left > step ? wait(left - step) : run()), step);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** `crypto.getRandomValues` gives at most this many bytes at once. */
const MAX_RANDOM = 65_536;

export const systemRandom: Random = {
  bytes: (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += MAX_RANDOM)
      crypto.getRandomValues(bytes.subarray(at, at + MAX_RANDOM));
    return bytes;
  },
  uuid: () => crypto.randomUUID(),
};

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

/** "Chrome on Linux": how this browser is named to a person. */
export function describePlatform(userAgent: string): string {
  const name = (list: [RegExp, string][], other: string): string =>
    list.find(([form]) => form.test(userAgent))?.[1] ?? other;
  return `${name(BROWSERS, 'Browser')} on ${name(SYSTEMS, 'an unknown system')}`;
}
