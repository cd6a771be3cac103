import { setFlagsFromString } from 'node:v8';

/**
 * Loaded before short test runs: most functions run a few times there, and to optimize them as early as usual took a
 * fifth of the processor's time. They are optimized after seven times as much use. Ignored by an engine without it.
 */
setFlagsFromString('--interrupt-budget=500000');
