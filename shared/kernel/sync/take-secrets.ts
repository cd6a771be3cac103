import type { InviteRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Random } from '../../std/random.ts';
import { EpochBoxes, RECOVERY } from '../seal/epoch-boxes.ts';
import type { Joining } from './joining.ts';
import type { Replica } from './replica.ts';
import { type KeepParts, keepSharedSecrets } from './shared-secrets.ts';

export type TakeSecretsParts = KeepParts & {
  tables: SystemTables;
  random: Random;
  replica: Pick<Replica, 'id'>;
};

/** Keeps what an invitation holds for its newcomer: the secrets that all browsers share, and every key there is. */
export async function takeSecrets(
  parts: TakeSecretsParts,
  joining: Joining,
  invite: InviteRow,
): Promise<void> {
  const { tables, keys, random, replica } = parts;
  await keepSharedSecrets(parts, await joining.open(invite));
  const key = await joining.laterKeys();
  const boxes = new EpochBoxes({ tables, random, self: replica.id });
  while (key && keys.keyring) {
    const [next] = await boxes.next(keys.keyring, key, RECOVERY);
    if (!next) return;
    await keys.set(next.keyring);
  }
}
