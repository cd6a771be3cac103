import { SEAL } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import { Keyring } from '../seal/keyring.ts';
import type { Keys } from '../seal/keys.ts';

export type ChooseSealingParts = {
  tables: Pick<SystemTables, 'seal'>;
  keys: Keys;
  clock: Clock;
  random: Random;
};

/** Of a GSV that begins now. Keys are there before anything that they are for. */
export async function chooseSealing(
  { tables, keys, clock, random }: ChooseSealingParts,
  sealed: boolean,
): Promise<void> {
  // Of a setup that a kill cut off.
  if (keys.keyring) await keys.forget();
  tables.seal.delete(SEAL);
  if (!sealed) return;
  const keyring = Keyring.make(random);
  await keys.set(keyring);
  tables.seal.put(SEAL, { gsvId: keyring.gsvId, since: clock.now() });
}
