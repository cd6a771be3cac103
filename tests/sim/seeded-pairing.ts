import * as Y from 'yjs';
import { mintToken } from '../../shared/kernel/auth/tokens.ts';
import { SYSTEM_DOC, systemTables } from '../../shared/state/system.ts';
import { Dice, randomOf } from './engine/dice.ts';
import type { ReplicaNode } from './nodes/replica-node.ts';

/** Writes to the founder's disk what pairing would have left there, and to the newcomers' what makes them join. */
export async function seedPairing(founder: ReplicaNode, others: readonly ReplicaNode[]): Promise<void> {
  const random = randomOf(new Dice(7));
  const doc = new Y.Doc();
  for (const update of founder.disk.docs.get(SYSTEM_DOC) ?? []) Y.applyUpdate(doc, update);
  const tables = systemTables(doc);
  for (const other of others) {
    const replicaId = random.uuid();
    const bound = {
      uid: 0,
      kind: 'service',
      allowedRole: 'service',
      allowedDeviceId: `replica:${replicaId}`,
    } as const;
    const token = await mintToken({ ...bound, label: other.name, expiresAt: null }, 1, random);
    const user = { uid: 1000, kind: 'user', allowedRole: 'user', allowedDeviceId: null } as const;
    const session = await mintToken({ ...user, label: 'page', expiresAt: null }, 1, random);
    tables.tokens.put(token.row.tokenId, token.row);
    tables.tokens.put(session.row.tokenId, session.row);
    tables.replicas.put(replicaId, {
      replicaId,
      name: other.name,
      platform: 'sim',
      tokenId: token.row.tokenId,
      joinedAt: 1,
      revokedAt: null,
      storage: null,
    });
    other.disk.secrets.set('replica/id', replicaId);
    other.disk.secrets.set('room/token', token.raw);
    other.session = { username: 'ada', token: session.raw };
  }
  founder.disk.docs.set(SYSTEM_DOC, [Y.encodeStateAsUpdate(doc)]);
}
