import type { Keyring } from './keyring.ts';
import { BoxKey } from './sealed-box.ts';

/** What a box at the room's inbox is sealed for; every browser with the keys has its secret. */
export async function inboxKey(keyring: Keyring, epoch: number): Promise<BoxKey> {
  return new BoxKey(await keyring.bits(epoch, 'inbox', ''));
}

/** An item opens as itself alone, and as left by whom it names. */
export function inboxPurpose({ id, uid }: { id: string; uid: number }): string {
  return `inbox ${id} ${uid}`;
}
