import type { Documents } from '../documents.ts';
import type { Handlers } from '../handler.ts';
import type { BlobSync } from '../sync/blob-sync.ts';
import type { Membership } from '../sync/membership.ts';
import { demandOwner } from '../sync/owner.ts';

export type StorageParts = {
  documents: Documents;
  blobs: BlobSync;
  membership: Membership;
  /** Changes and contents that the room does not have. */
  onlyHere(): number;
  /** Removes everything that this host stores, and ends the kernel. */
  erase(): Promise<void>;
};

/** `sys.storage` and `sys.erase`: what this browser stores, and the end of it. */
export function storageHandlers(parts: StorageParts): Handlers<'sys.storage' | 'sys.erase'> {
  return {
    'sys.storage': async () => ({ documents: await parts.documents.size(), ...parts.blobs.usage }),
    'sys.erase': async ({ force }, { caller }) => {
      demandOwner(caller.identity);
      const onlyHere = parts.onlyHere();
      if (onlyHere > 0 && !force) return { erased: false, onlyHere };
      await parts.membership.resign();
      await parts.erase();
      return { erased: true, onlyHere };
    },
  };
}
