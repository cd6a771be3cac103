import type { Result } from '../../shared/syscalls/table.ts';
import { askAll } from './ask.ts';
import type { ReplicaNode } from './nodes/replica-node.ts';
import type { Stage } from './program/stage.ts';
import type { World } from './world.ts';

/** Everything must have come to its end within this time after the last fault. */
const LONGEST_MS = 20 * 60_000;
const ROUND_MS = 15_000;
/** How long no operation is waited for: longer than anything that a program does again by itself. */
const CALM_ROUNDS = 2;

/** Ends all faults and lets time pass until nothing is going on. What still is after a long time is an offence. */
export async function comeToRest(stage: Stage, restartAll: boolean): Promise<string[]> {
  const { world } = stage;
  world.trace.add('coming to rest');
  heal(world, restartAll);
  const end = world.timeline.now + LONGEST_MS;
  let calm = 0;
  let unrest: string[] = [];
  while (calm < CALM_ROUNDS) {
    if (world.timeline.now > end) return unrest.map((what) => `still going on after 20 minutes: ${what}`);
    await world.flow(ROUND_MS);
    if (world.witness.broken.length > 0) return [];
    unrest = await unrestOf(stage);
    calm = unrest.length === 0 ? calm + 1 : 0;
  }
  return [];
}

function heal(world: World, restartAll: boolean): void {
  world.room.disk.mood.full = false;
  for (const { mood } of [world.room.disk, ...world.replicas.map(({ disk }) => disk)]) {
    mood.full = false;
    mood.slow = () => 0;
  }
  for (const station of world.stations()) {
    station.cutOff = false;
    station.life.light(Number.POSITIVE_INFINITY, () => {});
    station.life.thaw();
    if (restartAll) station.kill();
    station.start();
  }
  world.network.noticeAll();
}

async function unrestOf(stage: Stage): Promise<string[]> {
  const { world } = stage;
  const found: string[] = [];
  for (const replica of world.replicas) {
    if (!replica.page) found.push(`${replica.name} is not up`);
    else if (!replica.page.signedIn && replica.session) replica.page.signIn(replica.session);
  }
  if (found.length > 0) return found;
  const statuses = await askAll(world, world.replicas, 'sys.status', {});
  found.push(...statuses.flatMap(([replica, status]) => unrestOfLink(replica, status)));
  const lists = await askAll(world, world.replicas, 'proc.list', {});
  const pids = lists.flatMap(([, { processes }]) => processes.map(({ pid }) => pid));
  // A spawn that was not answered may have made one, too.
  for (const pid of pids) if (!stage.pids.includes(pid)) stage.pids.push(pid);
  for (const pid of stage.pids) found.push(...(await answerApproval(stage, pid)));
  for (const [replica, { processes }] of lists) {
    for (const { pid, state } of processes) {
      if (state === 'running' || state === 'waiting')
        found.push(`${pid} is ${state} in the eyes of ${replica.name}`);
    }
  }
  return found;
}

function unrestOfLink(replica: ReplicaNode, { link, linkReason, waiting }: Result<'sys.status'>): string[] {
  if (link !== 'online') return [`${replica.name} is ${link}: ${linkReason}`];
  return waiting > 0 ? [`${replica.name} has ${waiting} changes waiting`] : [];
}

/** A run that waits for a person gets its answer, from any browser. */
async function answerApproval(stage: Stage, pid: string): Promise<string[]> {
  const { world } = stage;
  const histories = await askAll(world, world.replicas, 'proc.history', { pid, limit: 1 });
  const found: string[] = [];
  for (const [replica, history] of histories) {
    const request = history.ok ? history.pendingHil : null;
    if (!request) continue;
    found.push(`${pid} waits for an approval in the eyes of ${replica.name}`);
    replica.page?.call('proc.hil', { pid, requestId: request.requestId, decision: 'deny' });
  }
  return found;
}
