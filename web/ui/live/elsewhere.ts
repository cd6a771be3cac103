import type { RunRow } from '../../../shared/state/conversation.ts';
import type { LiveReplica } from './replicas.ts';
import type { Status } from './status.ts';

/** A run that belongs to another browser. `lost`: nobody drives it on, as far as is known here. */
export type Elsewhere = { name: string; presence: 'there' | 'lost' | 'unknown' };

/** Null when nothing runs, or it runs in this browser. */
export function elsewhere(
  run: Pick<RunRow, 'owner'> | null,
  status: Pick<Status, 'replicaId' | 'link'> | undefined,
  replicas: readonly LiveReplica[],
): Elsewhere | null {
  const owner = run?.owner;
  if (owner === undefined || owner === '' || status === undefined || owner === status.replicaId) return null;
  const row = replicas.find((replica) => replica.replicaId === owner);
  const name = row?.name ?? 'another browser';
  if (row?.revokedAt != null) return { name, presence: 'lost' };
  // Only the server knows who is connected.
  if (status.link !== 'online') return { name, presence: 'unknown' };
  return { name, presence: row?.online === true ? 'there' : 'lost' };
}

/** What stands above the message box when nobody may be driving the run; null while its browser is there. */
export function elsewhereWords({ name, presence }: Elsewhere): string | null {
  if (presence === 'there') return null;
  if (presence === 'lost') return `${capital(name)} is gone. What it was doing here has stopped.`;
  return `This runs on ${name}. Whether it goes on there is not known while this browser is offline.`;
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
