import { Prepared } from './prepared.ts';
import { programOf, textOf } from './program/program.ts';
import { runProgram, type Verdict } from './run.ts';

export const OPERATIONS = 500;
export const SEEDS = 200;

/** Runs every second seed from `first` on. Resolves with what failed, in words that say how to run it again. */
export async function failingSeeds(first: number): Promise<string[]> {
  const prepared = await Prepared.make();
  const failures: string[] = [];
  for (let seed = first; seed <= SEEDS; seed += 2) {
    const verdict = await runProgram(prepared, programOf(seed, OPERATIONS));
    if (verdict.offences.length > 0) failures.push(explain(verdict));
  }
  return failures;
}

export function explain({ program, offences, trace }: Verdict): string {
  const [first] = offences;
  const again = `npm run sim -- --seed ${program.seed} --seeds 1 --ops ${program.operations.length}`;
  return [
    `${first?.invariant}: ${first?.what}`,
    `shrink it: ${again}`,
    textOf(program),
    ...trace.slice(-20),
  ].join('\n');
}
