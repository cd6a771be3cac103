import { fromBase64Url, toBase64Url } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import type { Vault } from '../ports/vault.ts';
import { BoxKey } from './sealed-box.ts';

const BOX = 'seal/box';

/** This browser's pair of keys: what others seal for it alone. Made when it is first asked for. */
export async function ownBoxKey(vault: Vault, random: Random): Promise<BoxKey> {
  const stored = await vault.get(BOX);
  if (stored !== undefined) return new BoxKey(fromBase64Url(stored));
  const made = BoxKey.make(random);
  await vault.put(BOX, toBase64Url(made.secret));
  return made;
}
