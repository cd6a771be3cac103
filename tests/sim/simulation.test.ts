import { beforeAll, expect, test } from 'vitest';
import { explain } from './many-seeds.ts';
import { pinned } from './pinned.ts';
import { Prepared } from './prepared.ts';
import { parseProgram, programOf, textOf } from './program/program.ts';
import { runProgram } from './run.ts';
import { shrink } from './shrink.ts';

let prepared: Prepared;

beforeAll(async () => {
  prepared = await Prepared.make();
});

test('[S71] the same program runs the same way, event for event, and another seed does not', async () => {
  const program = programOf(42, 150);
  const once = await runProgram(prepared, program);
  const again = await runProgram(await Prepared.make(), parseProgram(textOf(program)));
  expect(again.hash).toBe(once.hash);
  expect(again.trace).toEqual(once.trace);
  expect((await runProgram(prepared, programOf(43, 150))).hash).not.toBe(once.hash);
});

test('[S72] programs that failed once do not fail again', async () => {
  const failures: string[] = [];
  for (const { program } of pinned) {
    const verdict = await runProgram(prepared, parseProgram(program));
    if (verdict.offences.length > 0) failures.push(explain(verdict));
  }
  expect(failures).toEqual([]);
});

test('[S73] a failing program is shrunk to the operations that make it fail', async () => {
  const program = programOf(3, 200);
  const culprits = [program.operations[17], program.operations[121]];
  const small = await shrink(program, async ({ operations }) =>
    culprits.every((culprit) => culprit !== undefined && operations.includes(culprit)),
  );
  expect(small.operations).toEqual(culprits);
});
