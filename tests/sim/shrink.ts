import type { Operation, Program } from './program/program.ts';

/** A program takes at most this many tries to shrink. */
const MOST_TRIES = 600;

/**
 * A smaller program that still fails: leaves out runs of operations, half of them at first and single ones at last, as
 * long as `fails` says yes. `fails` must be the same for the same program.
 */
export async function shrink(
  program: Program,
  fails: (smaller: Program) => Promise<boolean>,
): Promise<Program> {
  let kept = program.operations;
  let tries = 0;
  const pass = async (size: number): Promise<void> => {
    for (let at = 0; at < kept.length && tries < MOST_TRIES; ) {
      const without: readonly Operation[] = [...kept.slice(0, at), ...kept.slice(at + size)];
      tries += 1;
      if (await fails({ ...program, operations: without })) kept = without;
      else at += size;
    }
  };
  for (let size = Math.ceil(kept.length / 2); size > 1; size = Math.ceil(size / 2)) await pass(size);
  // What was needed before something else was left out may not be any more.
  for (let before = Number.POSITIVE_INFINITY; kept.length < before && tries < MOST_TRIES; ) {
    before = kept.length;
    await pass(1);
  }
  return { ...program, operations: kept };
}
