import { LEASE_MS } from '../../../sync-server/room/lease.ts';
import type { Act, Grant } from '../nodes/witness.ts';
import type { Stage } from '../program/stage.ts';

/**
 * A run has one owner at a time: another replica takes it up only while it is the last to whom the room gave the lease,
 * who began it under a lease does nothing after that was given to another, and each grant to another holder has a higher
 * epoch. Who was made to give up by force, and could not be told, may go on for as long as its lease would have lasted.
 */
export function oneOwner({ world }: Stage): string[] {
  const { acts, grants } = world.witness;
  const byLease = groups(grants, ({ lease }) => lease);
  const found = [...byLease].flatMap(([lease, own]) => lowEpochs(lease, own));
  for (const [run, own] of groups(acts, ({ run: of }) => of)) {
    const lease = byLease.get(`proc:${run.split(':').slice(0, -1).join(':')}`) ?? [];
    for (const [at, act] of own.entries()) {
      const before = own[at - 1];
      const last = lease.findLast(({ order }) => order < act.order);
      if (last && mayNotKnow(act, last, lease)) continue;
      const switches = before !== undefined && before.replica !== act.replica;
      if (switches && last?.replica !== act.replica) {
        found.push(`${act.replica} acts in ${run} (${act.what}) after ${before.replica}, without a lease`);
      } else if (last && isStale(act, last, own, lease)) {
        found.push(`${act.replica} acts in ${run} (${act.what}) after ${last.replica} was given the lease`);
      }
    }
  }
  return found;
}

function lowEpochs(lease: string, grants: readonly Grant[]): string[] {
  return grants.flatMap(({ replica, epoch }, at) => {
    const before = grants[at - 1];
    if (!before || before.replica === replica || before.epoch < epoch) return [];
    return [`${lease} was given to ${replica} as ${epoch} after ${before.replica} had ${before.epoch}`];
  });
}

/** The lease was taken by force since this replica had it. */
function mayNotKnow(act: Act, last: Grant, lease: readonly Grant[]): boolean {
  const own = lease.findLast(({ replica, order }) => replica === act.replica && order < act.order);
  if (own === undefined || act.at - own.at >= LEASE_MS) return false;
  return lease.some(({ forced, order }) => forced && order > own.order && order <= last.order);
}

/**
 * The lease is another's by now, and this replica began the run under it. What was begun apart needs none for as long as
 * its replica has no link: it does not go on with one. (A replica gives its lease up, unsaid, when the room confirms nothing.)
 */
function isStale(act: Act, last: Grant, run: readonly Act[], lease: readonly Grant[]): boolean {
  if (last.replica === act.replica) return false;
  const own = run.filter(({ replica, order }) => replica === act.replica && order <= act.order);
  const begun = own[0] ?? act;
  if (!begun.linked) return own.some(({ linked }) => linked);
  const under = lease.findLast(({ replica, order }) => replica === act.replica && order < begun.order);
  const over = under?.releasedOrder ?? Number.POSITIVE_INFINITY;
  return under !== undefined && over > begun.order && begun.at - under.at < LEASE_MS;
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const group = found.get(keyOf(item));
    if (group) group.push(item);
    else found.set(keyOf(item), [item]);
  }
  return found;
}
