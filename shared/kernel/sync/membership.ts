import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import { mintToken } from '../auth/tokens.ts';
import type { Handlers } from '../handler.ts';
import type { Vault } from '../ports/vault.ts';
import { ROOM_CLAIM, ROOM_TOKEN, type RoomLink } from './room-link.ts';

const REPLICA_ID = 'replica/id';

export type MembershipParts = {
  tables: SystemTables;
  vault: Vault;
  clock: Clock;
  random: Random;
  room: RoomLink;
  replicaId: string;
  platform: string;
  flush(): Promise<void>;
};

/** This host's id as a replica: made once, kept with its secrets. */
export async function ensureReplicaId(vault: Vault, random: Random): Promise<string> {
  const known = await vault.get(REPLICA_ID);
  if (known !== undefined) return known;
  const id = random.uuid();
  await vault.put(REPLICA_ID, id);
  return id;
}

/**
 * `sys.join`: claims the room with the secret of its claim link. This replica's own token is stored before it is
 * used, so that a kill at any point leaves either a claim to try again or a token that works.
 */
export function joinHandler(parts: MembershipParts): Handlers<'sys.join'> {
  const { vault, room } = parts;
  return {
    'sys.join': async ({ secret }) => {
      if (room.online) return { joined: true };
      if ((await vault.get(ROOM_TOKEN)) === undefined) await makeToken(parts);
      await vault.put(ROOM_CLAIM, secret);
      await room.start();
      room.retryNow();
      return { joined: true };
    },
  };
}

async function makeToken({
  tables,
  vault,
  clock,
  random,
  replicaId,
  platform,
  flush,
}: MembershipParts): Promise<void> {
  const bound = {
    uid: 0,
    kind: 'service',
    allowedRole: 'service',
    allowedDeviceId: `replica:${replicaId}`,
  } as const;
  const { row, raw } = await mintToken({ ...bound, label: platform, expiresAt: null }, clock.now(), random);
  tables.tokens.put(row.tokenId, row);
  await flush();
  await vault.put(ROOM_TOKEN, raw);
}
