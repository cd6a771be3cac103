import { beforeAll, describe, expect, test } from 'vitest';
import { Prepared } from './prepared.ts';
import { type Kind, programOf } from './program/program.ts';
import { type Invariant, runProgram } from './run.ts';
import type { World } from './world.ts';

/**
 * Whether the checks bite: five deliberate defects, each put in through a port or a wire and caught by the invariant
 * that is named.
 * 1. The server's disk answers before a write is durable, and loses it at a kill.
 * 2. A browser's disk does.
 * 3. A driver's journal forgets what it was asked when the driver starts again.
 * 4. The server forgets its leases when it starts again, and grants them anew to others.
 * 5. A link loses the idempotency keys of calls.
 */
const SEEDS = 25;
const OPERATIONS = 150;
/** Less of what has nothing to do with calls of a device. */
const CALLS: Partial<Record<Kind, number>> = {
  write: 0,
  edit: 0,
  remove: 0,
  reset: 0,
  configure: 0,
  send: 20,
  flow: 40,
};

let prepared: Prepared;

beforeAll(async () => {
  prepared = await Prepared.make();
});

/** Runs seeds until one breaks an invariant with the defect and not without. Undefined when none does. */
async function seedThatCatches(
  invariants: readonly Invariant[],
  more: Partial<Record<Kind, number>>,
  alter: (world: World) => void,
): Promise<number | undefined> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const program = programOf(seed, OPERATIONS, more);
    const breaks = async (options: { alter?: (world: World) => void }): Promise<boolean> => {
      const { offences } = await runProgram(prepared, program, options);
      return offences.some(({ invariant }) => invariants.includes(invariant));
    };
    if ((await breaks({ alter })) && !(await breaks({}))) return seed;
  }
  return undefined;
}

describe('a defect is caught', () => {
  test('[S74] in the disk of the server: replicas or the room differ, or something is lost', async () => {
    const alter = ({ room }: World): void => {
      room.disk.mood.forgets = true;
    };
    expect(await seedThatCatches(['equal', 'lost'], { killRoom: 6 }, alter)).toBeDefined();
  });

  test('[S75] in the disk of a browser: what it acknowledged is lost', async () => {
    const alter = ({ replicas }: World): void => {
      for (const { disk } of replicas) disk.mood.forgets = true;
    };
    expect(await seedThatCatches(['lost'], { killReplica: 6, partition: 6 }, alter)).toBeDefined();
  });

  test('[S76] in the journal of a driver: a call runs twice', async () => {
    const alter = ({ driver }: World): void => {
      driver.journal.forgets = true;
    };
    expect(await seedThatCatches(['twice'], { ...CALLS, killDriverSoon: 25 }, alter)).toBeDefined();
  });

  test('[S77] in the leases of the server: a run has two owners', async () => {
    const alter = ({ room }: World): void => {
      room.disk.losesAtStart = ['lease'];
    };
    expect(await seedThatCatches(['owner'], { ...CALLS, killRoom: 10, takeOver: 8 }, alter)).toBeDefined();
  });

  test('[S78] in a link that loses idempotency keys: a call runs twice', async () => {
    const alter = ({ network }: World): void => {
      const watch = network.tap;
      network.tap = (text, from, to) => withoutKey(watch(text, from, to));
    };
    expect(await seedThatCatches(['twice'], { ...CALLS, cut: 15 }, alter)).toBeDefined();
  });
});

function withoutKey(text: string | null): string | null {
  if (text === null || !text.startsWith('{"type":"req"')) return text;
  const { key: _lost, ...request } = JSON.parse(text) as { key?: string };
  return JSON.stringify(request);
}
