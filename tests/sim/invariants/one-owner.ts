import { LEASE_MS } from '../../../sync-server/room/lease.ts';
import type { Act, Grant } from '../nodes/witness.ts';
import type { Stage } from '../program/stage.ts';

/**
 * A run has one owner at a time: another replica takes it up only while it is the last to whom the room gave the lease,
 * who began it under a lease does nothing after that was given to another (unless a person forced it), and each grant to
 * another holder has a higher epoch.
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

/** The lease is another's by now, and this replica began the run under it. What was begun apart needs none. */
function isStale(act: Act, last: Grant, run: readonly Act[], lease: readonly Grant[]): boolean {
  if (last.replica === act.replica || last.forced) return false;
  const begun = run.find(({ replica }) => replica === act.replica) ?? act;
  const under = lease.findLast(({ replica, order }) => replica === act.replica && order < begun.order);
  if (!under || under.releasedAt !== null) return false;
  return begun.at - under.at < LEASE_MS;
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
