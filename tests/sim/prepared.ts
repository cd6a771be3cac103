import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { takeOverGlobals } from './engine/globals.ts';
import { DEVICE } from './nodes/driver-node.ts';
import { HOME } from './nodes/models.ts';
import type { PageCall } from './nodes/page.ts';
import type { ReplicaNode } from './nodes/replica-node.ts';
import { CLAIM_SECRET } from './nodes/room-node.ts';
import { World } from './world.ts';

/** How long any step of the preparation may take, in the time of the simulation. */
const STEP_MS = 90_000;
/** How long hashing may take, really. */
const HASHING_MS = 10_000;
const ACCOUNT = { username: 'ada', password: 'correct horse battery' };

/** Takes the place of the GSV that every run begins with: set up, claimed, three browsers joined, one device. */
export class Prepared {
  readonly world: World;

  private constructor(world: World) {
    this.world = world;
  }

  /** Made once in a program: hashing a password takes its time. */
  static async make(): Promise<Prepared> {
    // The kernel loads it when it is needed; loading is the one thing here that takes real time.
    await import('just-bash/browser');
    const world = new World({ seed: -1, replicas: 3 });
    const giveBack = takeOverGlobals(
      () => world.clientId(),
      (line) => world.trace.add(line),
    );
    try {
      await setUp(world);
    } finally {
      giveBack();
    }
    if (world.witness.broken.length > 0) throw new Error(world.witness.broken.join('\n'));
    return new Prepared(world);
  }

  /** Gives a fresh world these disks, and starts it. */
  async into(world: World): Promise<void> {
    const from = this.world;
    world.room.disk.copyFrom(from.room.disk);
    world.driver.token = from.driver.token;
    world.timeline.passTo(from.timeline.now);
    for (const [at, replica] of world.replicas.entries()) {
      const other = from.replicas[at];
      if (!other) continue;
      replica.disk.copyFrom(other.disk);
      replica.session = other.session;
    }
    for (const station of world.stations()) station.start();
    await world.flow(2_000);
  }
}

async function setUp(world: World): Promise<void> {
  const [founder, ...others] = world.replicas;
  if (!founder) return;
  world.room.start();
  founder.start();
  await world.settle();
  const made = await ask(world, founder, 'sys.setup', {
    ...ACCOUNT,
    ai: { provider: 'scripted', model: 'one' },
    node: { deviceId: DEVICE },
  });
  world.driver.token = made.nodeToken?.token ?? '';
  await signInByPassword(world, founder);
  await ask(world, founder, 'sys.join', { secret: CLAIM_SECRET });
  await rest(world);
  await ask(world, founder, 'fs.write', { path: `${HOME}/ledger.txt`, content: 'BEGIN\nEND\n' });
  for (const other of others) await pair(world, founder, other);
  world.driver.start();
  await rest(world);
  for (const station of world.stations()) station.kill();
}

async function signInByPassword(world: World, founder: ReplicaNode): Promise<void> {
  founder.page?.signIn(ACCOUNT);
  await hashing(() => founder.page?.signedIn === true);
  const { token } = await ask(world, founder, 'sys.token.create', { kind: 'user' });
  founder.session = { username: 'ada', token: token.token };
}

async function pair(world: World, founder: ReplicaNode, other: ReplicaNode): Promise<void> {
  other.start();
  await world.settle();
  const { secret } = await ask(world, founder, 'sys.invite.create', {});
  const { session } = await ask(world, other, 'sys.join', { secret });
  if (!session) throw new Error('no session');
  other.session = { username: session.username, token: session.token };
  await rest(world);
}

/** Makes a call that must be answered. */
async function ask<Name extends SyscallName>(
  world: World,
  replica: ReplicaNode,
  name: Name,
  args: Args<Name>,
): Promise<Result<Name>> {
  const call: PageCall<Name> | undefined = replica.page?.call(name, args);
  if (name === 'sys.setup') await hashing(() => call?.outcome.kind !== 'open');
  await until(world, () => call?.outcome.kind !== 'open');
  if (call?.outcome.kind === 'answered') return call.outcome.result;
  throw new Error(`${name}: ${JSON.stringify(call?.outcome)}`);
}

/** Hashing a password waits for the platform's timers; no time of the simulation passes meanwhile. */
async function hashing(done: () => boolean): Promise<void> {
  for (const end = Date.now() + HASHING_MS; !done() && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function until(world: World, done: () => boolean): Promise<void> {
  const end = world.timeline.now + STEP_MS;
  while (!done() && world.timeline.now < end) {
    await world.flow(50);
  }
}

async function rest(world: World): Promise<void> {
  await world.flow(5_000);
}
