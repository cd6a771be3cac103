import { hashOf } from './engine/dice.ts';
import { Prepared } from './prepared.ts';
import { type Program, parseProgram, programOf, programOfKinds, textOf } from './program/program.ts';
import { type Offence, runProgram, type Verdict } from './run.ts';
import { shrink } from './shrink.ts';

const DEFAULT_SEEDS = 200;
const DEFAULT_OPERATIONS = 500;
/** Lines of the trace, and how much of each is shown. */
const TRACE_LINES = 30;
const LINE_LENGTH = 220;

export type Options = {
  /** How many seeds, from `first` on, every `step`-th. */
  seeds: number;
  first: number;
  step: number;
  operations: number;
  shrinks: boolean;
  /** How many lines of the trace a failure shows before the end of its program, and after. */
  traceLines: number;
  /** The kinds of operations to use; all when empty. */
  kinds: readonly string[];
  /** A program to run instead of seeds. */
  program: string | undefined;
};

/** `--seeds 2000 --seed 17 --ops 500 --no-shrink --trace 200 --kinds flow,send,cut --program "17 send:9x2 …"`. Throws on anything else. */
export function parseOptions(args: readonly string[]): Options {
  const options: Options = {
    seeds: DEFAULT_SEEDS,
    first: 1,
    step: 1,
    operations: DEFAULT_OPERATIONS,
    shrinks: true,
    traceLines: TRACE_LINES,
    kinds: [],
    program: undefined,
  };
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--no-shrink') options.shrinks = false;
    else if (name === '--kinds') options.kinds = rest.shift()?.split(',') ?? [];
    else if (name === '--program') options.program = rest.shift();
    else setNumber(options, name, Number(rest.shift()));
  }
  return options;
}

function setNumber(options: Options, name: string, value: number): void {
  if (!Number.isInteger(value)) throw new Error(`${name} needs a whole number`);
  if (name === '--seeds') options.seeds = value;
  else if (name === '--seed') options.first = value;
  else if (name === '--ops') options.operations = value;
  else if (name === '--trace') options.traceLines = value;
  else if (name === '--step') options.step = value;
  else throw new Error(`There is no option ${name}`);
}

/** Runs seeds and prints what fails, shrunk. Resolves with how many failed. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  const prepared = await Prepared.make();
  const started = performance.now();
  /** One failure of a sort is shrunk, the others are named. */
  const seen = new Set<string>();
  let failed = 0;
  let ran = 0;
  let hash = 0;
  for (const program of programsOf(options)) {
    const verdict = await runProgram(prepared, program);
    ran += 1;
    if (process.env.SIM_VERBOSE)
      console.log(program.seed, verdict.hash, Math.round(performance.now() - started));
    hash = hashOf(hash, verdict.hash);
    if (verdict.offences.length === 0) continue;
    failed += 1;
    const fresh = verdict.offences.filter((offence) => !seen.has(sortOf(offence)));
    for (const offence of fresh) seen.add(sortOf(offence));
    await report(prepared, verdict, { ...options, shrinks: options.shrinks && fresh.length > 0 });
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${ran} runs, ${failed} failed, ${seconds.toFixed(1)} s, ${((seconds * 1000) / ran).toFixed(0)} ms a run, trace ${hash.toString(16)}`,
  );
  return failed;
}

function programsOf({ program, seeds, first, step, operations, kinds }: Options): Program[] {
  if (program !== undefined) return [parseProgram(program)];
  return Array.from({ length: Math.ceil(seeds / step) }, (_, at) => {
    const seed = first + at * step;
    return kinds.length > 0 ? programOfKinds(seed, operations, kinds) : programOf(seed, operations);
  });
}

async function report(prepared: Prepared, verdict: Verdict, { shrinks, traceLines }: Options): Promise<void> {
  console.log(`\nseed ${verdict.program.seed} fails:`);
  tell(verdict);
  if (!shrinks) return;
  const sorts = new Set(verdict.offences.map(sortOf));
  const small = await shrink(verdict.program, async (program) => {
    const { offences } = await runProgram(prepared, program);
    return offences.some((offence) => sorts.has(sortOf(offence)));
  });
  const again = await runProgram(prepared, small, { traceLines });
  console.log(`shrunk to ${small.operations.length} operations:\n${textOf(small)}`);
  tell(again);
  for (const line of again.trace) console.log(`  | ${line.slice(0, LINE_LENGTH)}`);
}

/** Alike for offences that differ in names and numbers only. */
function sortOf({ invariant, what }: Offence): string {
  return `${invariant} ${what.replaceAll(/\S*\d\S*|\b[ABC]\b/g, '*').slice(0, 80)}`;
}

function tell({ offences }: Verdict): void {
  for (const { invariant, what } of offences.slice(0, 8)) console.log(`  ${invariant}: ${what}`);
  if (offences.length > 8) console.log(`  and ${offences.length - 8} more`);
}
