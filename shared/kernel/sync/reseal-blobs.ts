import { SyscallError } from '../../protocol/errors.ts';
import type { Peer } from '../../protocol/peer.ts';
import type { Keyring } from '../seal/keyring.ts';
import { RoomBlobs } from './room-blobs.ts';
import { CLEAR_FORMS, sealedForms } from './room-form.ts';

/** Contents that are looked at together; what is done of them is done for good. */
const BATCH = 100;

export type ResealOptions = {
  /** Under whose newest key everything is sealed. */
  keyring: Keyring;
  /** Whether the room has contents as they are, too, and shall lose them. */
  fromClear?: boolean;
  onProgress?(done: number, total: number): void;
  signal?: AbortSignal;
};

export type ResealParts = {
  peer: Peer;
  /** The content, if it is on this disk. */
  here(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
};

/**
 * Seals the contents anew at the room, under the newest key, and lets it lose what it had of them before. Whoever
 * reads meanwhile finds each under the one name or the other. Broken off, it is called again and goes on; what the
 * room does not have either way is passed over, and goes up from where it is. Rejects with SyscallError, or SealFault
 * when what the room has was changed.
 */
export async function resealBlobs(
  { peer, here }: ResealParts,
  hashes: readonly string[],
  { keyring, fromClear = false, onProgress = () => {}, signal }: ResealOptions,
): Promise<void> {
  const sealed = new RoomBlobs(sealedForms(keyring));
  const clear = new RoomBlobs(CLEAR_FORMS);
  const fetched = async (hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const before = [sealed, ...(fromClear ? [clear] : [])];
    for (const blobs of before) {
      const bytes = await (await blobs.download(hash)).over(peer).catch(undefinedWhenMissing);
      if (bytes) return bytes;
    }
    return undefined;
  };
  for (let at = 0; at < hashes.length; at += BATCH) {
    const batch = hashes.slice(at, at + BATCH);
    for (const outdated of await sealed.outdated(peer, batch)) {
      signal?.throwIfAborted();
      const bytes = (await here(outdated.hash)) ?? (await fetched(outdated.hash));
      if (bytes) await sealed.send(peer, outdated, bytes);
    }
    await sealed.removeOlder(peer, batch);
    if (fromClear) await clear.removeAll(peer, batch);
    onProgress(at + batch.length, hashes.length);
  }
}

function undefinedWhenMissing(thrown: unknown): undefined {
  if (thrown instanceof SyscallError && thrown.code === 404) return undefined;
  throw thrown;
}
