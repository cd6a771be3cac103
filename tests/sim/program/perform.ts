import { Dice } from '../engine/dice.ts';
import type { World } from '../world.ts';
import { faults } from './faults.ts';
import { files } from './files.ts';
import { people } from './people.ts';
import type { Kind, Operation } from './program.ts';
import type { Stage } from './stage.ts';

type Step = (stage: Stage, dice: Dice) => void | Promise<void>;

/** The world goes on by itself, for a while. */
const course = {
  deliver: async ({ world }: Stage, dice: Dice) => {
    const lane = dice.pick(world.network.ready());
    for (let left = dice.between(1, 6); lane && left > 0; left -= 1) {
      world.network.deliver(lane);
      await world.settle();
    }
  },
  flow: ({ world }: Stage, dice: Dice) => world.flow(dice.pick([20, 200, 1_000, 4_000, 12_000]) ?? 0, dice),
  wait: ({ world }: Stage, dice: Dice) => world.wait(dice.pick([30, 700, 11_000, 45_000]) ?? 0),
};

const steps: Record<Kind, Step> = { ...course, ...people, ...files, ...inWorld(faults) };

/** Carries out one operation. Resolves when what it set off has settled. */
export async function perform(stage: Stage, operation: Operation, at: number): Promise<void> {
  const { world } = stage;
  world.trace.add(`#${at} ${operation.kind}`);
  await steps[operation.kind](stage, new Dice(operation.seed));
  await world.settle();
}

function inWorld<Name extends string>(
  of: Record<Name, (world: World, dice: Dice) => void>,
): Record<Name, Step> {
  const entries = Object.entries(of) as [Name, (world: World, dice: Dice) => void][];
  return Object.fromEntries(
    entries.map(([name, fault]) => [name, ({ world }: Stage, dice: Dice) => fault(world, dice)]),
  ) as Record<Name, Step>;
}
