import type { Dice } from '../engine/dice.ts';
import type { World } from '../world.ts';

type Fault = (world: World, dice: Dice) => void;
type Node = ReturnType<World['stations']>[number];

const HOUR = 3_600_000;
/** A program that is killed "soon" ends at one of its next so many moments. */
const SOON = 40;

/** What goes wrong. Each ends by itself after a while, so that any part of a program is a program. */
export const faults = {
  cut: (world, dice) => {
    const station = dice.pick(world.stations());
    const end = station && dice.pick(world.network.endsOf(station));
    if (end) world.network.cut(end);
  },

  partition: (world, dice) => {
    const station = dice.pick([...world.replicas, ...world.replicas, world.driver, world.room]);
    if (!station || station.cutOff) return;
    station.cutOff = true;
    later(world, spell(dice), () => {
      station.cutOff = false;
    });
  },

  killReplica: (world, dice) => kill(world, dice, dice.pick(world.replicas)),
  killReplicaSoon: (world, dice) => killSoon(world, dice, dice.pick(world.replicas)),
  killRoom: (world, dice) => kill(world, dice, world.room),
  killRoomSoon: (world, dice) => killSoon(world, dice, world.room),
  killDriver: (world, dice) => kill(world, dice, world.driver),
  killDriverSoon: (world, dice) => killSoon(world, dice, world.driver),

  fillDisk: (world, dice) => {
    const mood = dice.pick(world.replicas)?.disk.mood;
    if (mood)
      spoil(
        world,
        dice,
        () => (mood.full = true),
        () => (mood.full = false),
      );
  },

  fillRoom: (world, dice) => {
    const { mood } = world.room.disk;
    spoil(
      world,
      dice,
      () => (mood.full = true),
      () => (mood.full = false),
    );
  },

  slowDisk: (world, dice) => {
    const mood = dice.pick([...world.replicas, world.room])?.disk.mood;
    const least = dice.below(300);
    if (!mood) return;
    spoil(
      world,
      dice,
      () => (mood.slow = () => least + dice.below(500)),
      () => (mood.slow = () => 0),
    );
  },

  freeze: (world, dice) => {
    const replica = dice.pick(world.replicas);
    const { life } = replica ?? {};
    if (!life?.running) return;
    const freeze = (): void => {
      world.trace.add(`freeze ${replica?.name}`);
      life.freeze();
      later(world, spell(dice), () => life.thaw());
    };
    if (dice.chance(0.5)) freeze();
    else life.light(dice.between(1, SOON), freeze);
  },

  jumpClock: (world, dice) => {
    const { skew } = dice.pick([world.room, world.driver, ...world.replicas]) ?? {};
    if (!skew) return;
    const wide = dice.chance(0.5) ? 24 * HOUR : 90_000;
    skew.ms = dice.between(-wide, wide);
    world.trace.add(`a clock is off by ${skew.ms}`);
  },
} satisfies Record<string, Fault>;

/** Seconds or minutes: shorter and longer than leases and time-outs last. */
function spell(dice: Dice): number {
  return dice.chance(0.6) ? dice.below(15_000) : dice.below(200_000);
}

function later(world: World, ms: number, run: () => void): void {
  world.timeline.after(ms, run);
}

function spoil(world: World, dice: Dice, begin: () => unknown, end: () => unknown): void {
  begin();
  later(world, dice.below(20_000), () => void end());
}

function kill(world: World, dice: Dice, node: Node | undefined): void {
  if (!node || node.down) return;
  world.trace.add(`kill ${node.name}`);
  node.kill();
  later(world, dice.chance(0.7) ? dice.below(2_000) : dice.below(150_000), () => node.start());
}

function killSoon(world: World, dice: Dice, node: Node | undefined): void {
  if (!node?.life.running) return;
  node.life.light(dice.between(1, SOON), () => kill(world, dice, node));
}
