import { hashOf } from '../engine/dice.ts';
import { hostileRun } from '../hostile/hostile-run.ts';
import { Prepared } from '../prepared.ts';
import { type Program, parseProgram, programOf, programOfKinds, textOf } from '../program/program.ts';
import { runProgram, type Verdict } from '../run.ts';
import { shrink } from '../shrink.ts';
import { describeOffences, describePicture, describeTrace, sortOf } from './describe.ts';
import { type Options, parseOptions } from './options.ts';

/** Lines of the trace that are kept of a program that was asked for. */
const WHOLE_TRACE = 100_000;

/** Runs one program and shows all of it, or seeds and shows what fails. Resolves with how many failed. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.hostile) return runHostile(options);
  const prepared = await Prepared.make();
  if (options.program !== undefined) return showProgram(prepared, parseProgram(options.program));
  const started = performance.now();
  const { ran, failed, hash } = await runSeeds(prepared, options);
  const ms = performance.now() - started;
  const each = (ms / ran).toFixed(0);
  say(`${ran} runs, ${failed} failed, ${(ms / 1000).toFixed(1)} s, ${each} ms a run, trace ${hash}`);
  return failed;
}

async function showProgram(prepared: Prepared, program: Program): Promise<number> {
  let shown: string[] = [];
  const verdict = await runProgram(prepared, program, {
    traceLines: WHOLE_TRACE,
    look: (picture) => {
      shown = describePicture(picture);
    },
  });
  say(...describeTrace(verdict), ...shown, ...describeOffences(verdict), `trace ${verdict.hash}`);
  return verdict.offences.length;
}

/** Shows what comes of each seed in which a hostile room deceives somebody, or something is lost. */
async function runHostile({ seeds, first, step }: Options): Promise<number> {
  const count = Math.ceil(seeds / step);
  let failed = 0;
  for (let at = 0; at < count; at += 1) {
    const seed = first + at * step;
    const { attack, deceived, forged, whole } = await hostileRun(seed);
    if (deceived.length === 0 && forged.length === 0 && whole) continue;
    failed += 1;
    say(`seed ${seed}, ${attack}: ${JSON.stringify({ deceived, forged, whole })}`);
  }
  say(`${count} runs against a hostile room, ${failed} failed`);
  return failed;
}

async function runSeeds(
  prepared: Prepared,
  options: Options,
): Promise<{ ran: number; failed: number; hash: string }> {
  /** One failure of a sort is shrunk, the others are named. */
  const seen = new Set<string>();
  const programs = programsOf(options);
  let failed = 0;
  let hash = 0;
  for (const program of programs) {
    const verdict = await runProgram(prepared, program);
    hash = hashOf(hash, verdict.hash);
    if (verdict.offences.length === 0) continue;
    failed += 1;
    const sorts = verdict.offences.map(sortOf).filter((sort) => !seen.has(sort));
    for (const sort of sorts) seen.add(sort);
    say('', `seed ${program.seed} fails:`, ...describeOffences(verdict));
    if (options.shrinks && sorts.length > 0) await showSmaller(prepared, verdict, options);
  }
  return { ran: programs.length, failed, hash: hash.toString(16) };
}

function programsOf({ seeds, first, step, operations, kinds }: Options): Program[] {
  return Array.from({ length: Math.ceil(seeds / step) }, (_, at) => {
    const seed = first + at * step;
    return kinds.length > 0 ? programOfKinds(seed, operations, kinds) : programOf(seed, operations);
  });
}

async function showSmaller(
  prepared: Prepared,
  { program, offences }: Verdict,
  options: Options,
): Promise<void> {
  const sorts = new Set(offences.map(sortOf));
  const small = await shrink(program, async (smaller) => {
    const verdict = await runProgram(prepared, smaller);
    return verdict.offences.some((offence) => sorts.has(sortOf(offence)));
  });
  const verdict = await runProgram(prepared, small, { traceLines: options.traceLines });
  say(
    `shrunk to ${small.operations.length} operations; all of it: npm run sim -- --program "${textOf(small)}"`,
  );
  say(...describeOffences(verdict), ...describeTrace(verdict));
}

function say(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
