import type { Act, Grant } from '../nodes/witness.ts';
import type { Stage } from '../program/stage.ts';

/** A run has one owner at a time: another replica acts in it only after the room has given it the lease. */
export function oneOwner({ world }: Stage): string[] {
  const { acts, grants } = world.witness;
  const found: string[] = [];
  for (const [run, own] of groups(acts)) {
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

function groups(acts: readonly Act[]): Map<string, Act[]> {
  const runs = new Map<string, Act[]>();
  for (const act of acts) runs.set(act.run, [...(runs.get(act.run) ?? []), act]);
  return runs;
}
