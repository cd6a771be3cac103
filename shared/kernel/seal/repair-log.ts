import { SyscallError } from '../../protocol/errors.ts';
import type { Documents } from '../documents.ts';
import type { Replication } from '../sync/replication.ts';
import type { Sealing } from '../sync/sealing.ts';

export type RepairParts = { sealing: Sealing; documents: Documents; replication: Replication };

/**
 * Has the room hold what is here of a sealed document in place of what it made of it. Rejects with SyscallError: 404 when
 * it is no sealed document, 409 when another browser has something of it that is not here, 503 without the room.
 */
export async function repairLog(parts: RepairParts, name: string): Promise<void> {
  const { sealing, documents, replication } = parts;
  const isKnown = sealing.seals(name) && (await documents.replicated()).includes(name);
  if (!isKnown) throw new SyscallError(404, `There is no sealed document ${name}`);
  if (!replication.connected)
    throw new SyscallError(503, 'The server cannot be reached now', { retryable: true });
  await documents.open(name);
  try {
    const repaired = sealing.repaired(name);
    replication.staysChanged();
    await repaired;
  } finally {
    replication.staysChanged();
    await documents.close(name);
  }
}
