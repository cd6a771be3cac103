import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';
import { systemClock, systemRandom } from '../../web/kernel-host/platform.ts';

/** The clock and the randomness that the kernel has in a browser, for tests of modules that may not know the browser. */
export const realClock: Clock = systemClock;
export const realRandom: Random = systemRandom;
