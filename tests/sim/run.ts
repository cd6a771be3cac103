import { Dice, hashOf } from './engine/dice.ts';
import { takeOverGlobals } from './engine/globals.ts';
import { allSettled } from './invariants/all-settled.ts';
import { historyValid } from './invariants/history-valid.ts';
import { nothingLost } from './invariants/nothing-lost.ts';
import { nothingTwice } from './invariants/nothing-twice.ts';
import { oneOwner } from './invariants/one-owner.ts';
import { type Picture, takePicture } from './invariants/picture.ts';
import { replicasEqual } from './invariants/replicas-equal.ts';
import type { Prepared } from './prepared.ts';
import { perform } from './program/perform.ts';
import type { Program } from './program/program.ts';
import { Stage } from './program/stage.ts';
import { comeToRest } from './rest.ts';
import { World } from './world.ts';

export type Invariant = 'rest' | 'equal' | 'lost' | 'twice' | 'owner' | 'history' | 'settled' | 'broken';
export type Offence = { invariant: Invariant; what: string };
export type Verdict = {
  program: Program;
  offences: Offence[];
  /** The same for the same program. */
  hash: string;
  trace: readonly string[];
};

export type RunOptions = {
  /** Changes the world before anything happens: how tests put a defect in. */
  alter?: (world: World) => void;
  traceLines?: number;
  /** Shown how everything was in the end. */
  look?: (picture: Picture) => void;
};

/** Runs a program in a world of its own and judges it. */
export async function runProgram(
  prepared: Prepared,
  program: Program,
  options: RunOptions = {},
): Promise<Verdict> {
  const { alter = () => {}, traceLines } = options;
  const world = new World({ seed: program.seed, replicas: 3, ...(traceLines ? { traceLines } : {}) });
  const giveBack = takeOverGlobals(
    () => world.clientId(),
    (line) => world.trace.add(line),
  );
  try {
    const stage = new Stage(world);
    alter(world);
    await prepared.into(world);
    for (const [at, operation] of program.operations.entries()) {
      await perform(stage, operation, at);
      if (world.witness.broken.length > 0) break;
    }
    const before = world.trace.tail;
    stage.look = options.look ?? (() => {});
    const offences = await judge(stage, new Dice(hashOf(program.seed, 'rest')).chance(0.5));
    return { program, offences, hash: world.trace.hash, trace: [...before, '…', ...stage.restTrace] };
  } finally {
    for (const station of world.stations()) station.kill();
    giveBack();
  }
}

async function judge(stage: Stage, restartAll: boolean): Promise<Offence[]> {
  const { broken } = stage.world.witness;
  const offences: Offence[] = [];
  const note = (invariant: Invariant, found: readonly string[]): void => {
    for (const what of found) offences.push({ invariant, what });
  };
  if (broken.length === 0) {
    const unrest = await comeToRest(stage, restartAll);
    note('rest', unrest);
    stage.restTrace = stage.world.trace.tail;
    if (broken.length > 0) return [...offences, { invariant: 'broken', what: broken.join('; ') }];
    const picture = await takePicture(stage);
    stage.look(picture);
    if (unrest.length === 0) note('equal', replicasEqual(picture));
    note('lost', nothingLost(picture, stage));
    note('twice', nothingTwice(picture, stage));
    note('history', historyValid(picture, stage));
    note('settled', allSettled(stage));
  }
  note('owner', oneOwner(stage));
  note('broken', broken);
  return offences;
}
