import type { Writable } from 'node:stream';
import type { Prompt } from './token.ts';

/** What a command is given of the process it runs in. */
export type Program = Prompt & {
  environment: NodeJS.ProcessEnv;
  output: Writable;
  errors: Writable;
  /** Aborts at the first SIGINT or SIGTERM. */
  stopped: AbortSignal;
};
