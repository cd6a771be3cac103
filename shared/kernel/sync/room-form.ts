import { SyscallError } from '../../protocol/errors.ts';
import { sha256Hex } from '../../std/bytes.ts';
import { BlobCipher } from '../seal/blob-cipher.ts';
import type { Keyring } from '../seal/keyring.ts';

/** How a room has a content: what it calls it, and what of its bytes is the content. */
export type RoomForm = {
  name: string;
  /** Rejects when the bytes are not this content, with SealFault where that shows that they were changed. */
  open(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
};

/** What is sent to a room. `digest`: the SHA-256 of the bytes where that is not their name. */
export type RoomBytes = { name: string; bytes: Uint8Array<ArrayBuffer>; digest?: string };

/** In which forms a room has contents: as they are, or sealed. `hash` is always that of the content. */
export type RoomForms = {
  /** As it is sent now, then as it was sent before. Never empty. */
  all(hash: string): Promise<[RoomForm, ...RoomForm[]]>;
  toSend(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<RoomBytes>;
};

export const CLEAR_FORMS: RoomForms = {
  all: async (hash) => [{ name: hash, open: (bytes) => checked(hash, bytes) }],
  toSend: async (hash, bytes) => ({ name: hash, bytes }),
};

/** Under one name for each epoch, the newest first. */
export function sealedForms(keyring: Keyring): RoomForms {
  const cipher = new BlobCipher(keyring);
  const form = async (epoch: number, hash: string): Promise<RoomForm> => ({
    name: await cipher.name(epoch, hash),
    open: (bytes) => cipher.open(epoch, hash, bytes),
  });
  return {
    all: async (hash) => {
      const older = Array.from({ length: cipher.epoch - 1 }, (_, at) => form(cipher.epoch - 1 - at, hash));
      return [await form(cipher.epoch, hash), ...(await Promise.all(older))];
    },
    toSend: async (hash, plain) => {
      const [name, bytes] = await Promise.all([cipher.name(cipher.epoch, hash), cipher.seal(hash, plain)]);
      return { name, bytes, digest: await sha256Hex(bytes) };
    },
  };
}

async function checked(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if ((await sha256Hex(bytes)) !== hash) throw new SyscallError(502, 'The server sent other contents');
  return bytes;
}
