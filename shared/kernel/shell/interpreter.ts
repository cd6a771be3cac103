import { lazy } from '../../std/lazy.ts';

export type Interpreter = typeof import('just-bash/browser');

/** What runs scripts and reads their syntax; large, so it is loaded when there is one. */
export const loadInterpreter: () => Promise<Interpreter> = lazy(() => import('just-bash/browser'));
