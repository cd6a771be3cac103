import type { Act, Grant } from '../nodes/witness.ts';
import type { Stage } from '../program/stage.ts';

/**
 * A run has one owner at a time: another replica acts in it only after the room has given it the lease, and each grant
 * to another holder has a higher epoch.
 */
export function oneOwner({ world }: Stage): string[] {
  const { acts, grants } = world.witness;
  const found: string[] = [];
  for (const [lease, own] of groups(grants, ({ lease }) => lease)) {
    for (const [at, { replica, epoch }] of own.entries()) {
      const before = own[at - 1];
      if (!before || before.replica === replica || before.epoch < epoch) continue;
      found.push(`${lease} was given to ${replica} as ${epoch} after ${before.replica} had ${before.epoch}`);
    }
  }
  for (const [run, own] of groups(acts, ({ run }) => run)) {
    for (const [at, act] of own.entries()) {
      const before = own[at - 1];
      if (!before || before.replica === act.replica) continue;
      const lease = `proc:${run.split(':').slice(0, -1).join(':')}`;
      const granted = grants.some((grant) => isHandover(grant, lease, before, act));
      if (!granted)
        found.push(`${act.replica} acts in ${run} (${act.what}) after ${before.replica}, without a lease`);
    }
  }
  return found;
}

function isHandover(grant: Grant, lease: string, before: Act, act: Act): boolean {
  return (
    grant.lease === lease &&
    grant.replica === act.replica &&
    grant.order < act.order &&
    // A holder that was made to give up learns of it a little later.
    (grant.order > before.order || grant.forced)
  );
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
