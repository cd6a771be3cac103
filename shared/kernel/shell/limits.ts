/** What one script of the native shell may use (FACTS, Numbers). */
export const shellLimits = {
  timeMs: 30_000,
  /** After a script was told to stop, its output so far is waited for this long. */
  graceMs: 500,
  outputBytes: 524_288,
  interpreter: {
    maxCommandCount: 1000,
    maxCallDepth: 64,
    maxExecDepth: 64,
    maxSourceDepth: 64,
    maxLoopIterations: 10_000,
    maxExecutionTimeMs: 30_000,
    /** What one command may hand to the next; only what the whole script prints is cut at `outputBytes`. */
    maxOutputSize: 128 * 1024 * 1024,
    maxStringLength: 128 * 1024 * 1024,
  },
} as const;

/** How the interpreter says that a limit ended the script. */
const EXCEEDED = /^bash: (.*), increase executionLimits\.(\w+)$/m;
const LIMIT_EXIT_CODE = 126;

const sentences: Record<string, string> = {
  maxCommandCount: `more than ${shellLimits.interpreter.maxCommandCount} commands in one script`,
  maxCallDepth: `functions called deeper than ${shellLimits.interpreter.maxCallDepth}`,
  maxExecDepth: `shells nested deeper than ${shellLimits.interpreter.maxExecDepth}`,
  maxSourceDepth: `files sourced deeper than ${shellLimits.interpreter.maxSourceDepth}`,
  maxLoopIterations: `more than ${shellLimits.interpreter.maxLoopIterations} rounds of a loop`,
};

/** Why the interpreter ended a script early, when a limit did. */
export function limitProblem(exitCode: number, stderr: string): string | undefined {
  const found = exitCode === LIMIT_EXIT_CODE ? EXCEEDED.exec(stderr) : null;
  return found ? (sentences[found[2] ?? ''] ?? found[1]) : undefined;
}
