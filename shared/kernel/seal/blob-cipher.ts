import { sha256Hex, toHex } from '../../std/bytes.ts';
import { SealFault } from './fault.ts';
import type { Keyring } from './keyring.ts';

/** The first byte of a sealed blob. */
const BLOB_VERSION = 1;
/** Version, and the epoch of the key in four bytes. */
const HEAD_BYTES = 5;
/** Of the content, in each chunk but the last. */
const CHUNK_BYTES = 1024 * 1024;
const TAG_BYTES = 16;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
/** No chunk waits for another, so cores share them; each takes its own size in memory once more while it is at work. */
const CHUNKS_AT_ONCE = 4;

/**
 * Seals contents for a room that shall not know them. The key belongs to this content alone, so a chunk's place may be
 * its nonce, and the same content sealed under the same epoch is the same bytes: an upload goes on where it stopped,
 * whoever goes on with it.
 */
export class BlobCipher {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** Under which blobs are sealed now. */
  get epoch(): number {
    return this.#keyring.epoch;
  }

  /** What the room calls a content: only who has the keys can tell which it is. `hash`: lower-case hexadecimal SHA-256. */
  async name(epoch: number, hash: string): Promise<string> {
    return toHex(await this.#keyring.bits(epoch, 'blob name', hash));
  }

  /** Under the newest key. `hash` is that of the bytes. */
  async seal(hash: string, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const count = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
    const sealed = new Uint8Array(HEAD_BYTES + bytes.length + count * TAG_BYTES);
    const head = headOf(this.epoch);
    sealed.set(head);
    const key = await this.#keyring.key(this.epoch, 'blob', hash);
    await eachChunk(count, async (index) => {
      const chunk = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
      const params = chunkParams(head, index, index === count - 1);
      const encrypted = await crypto.subtle.encrypt(params, key, chunk);
      sealed.set(new Uint8Array(encrypted), HEAD_BYTES + index * SEALED_CHUNK_BYTES);
    });
    return sealed;
  }

  /** The content of this hash. Rejects with SealFault on anything but what `seal` made of it in this epoch. */
  async open(epoch: number, hash: string, sealed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const head = headOf(epoch);
    if (head.some((byte, at) => sealed[at] !== byte)) throw notThisBlob();
    const count = Math.max(1, Math.ceil((sealed.length - HEAD_BYTES) / SEALED_CHUNK_BYTES));
    const length = sealed.length - HEAD_BYTES - count * TAG_BYTES;
    if (length < 0) throw notThisBlob();
    const bytes = new Uint8Array(length);
    const key = await this.#keyring.key(epoch, 'blob', hash);
    await eachChunk(count, async (index) => {
      const from = HEAD_BYTES + index * SEALED_CHUNK_BYTES;
      const chunk = sealed.subarray(from, from + SEALED_CHUNK_BYTES);
      const params = chunkParams(head, index, index === count - 1);
      const opened = await crypto.subtle.decrypt(params, key, chunk).catch(() => {
        throw notThisBlob();
      });
      bytes.set(new Uint8Array(opened), index * CHUNK_BYTES);
    });
    if ((await sha256Hex(bytes)) !== hash) throw notThisBlob();
    return bytes;
  }
}

/** Rejects with the first problem. */
async function eachChunk(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  const share = async (): Promise<void> => {
    for (const index of indices) await work(index);
  };
  await Promise.all(Array.from({ length: CHUNKS_AT_ONCE }, share));
}

function headOf(epoch: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(HEAD_BYTES);
  head[0] = BLOB_VERSION;
  new DataView(head.buffer).setUint32(1, epoch);
  return head;
}

/** The nonce is the chunk's place and whether it is the last: one that is moved, or left out at the end, is not read. */
function chunkParams(head: Uint8Array<ArrayBuffer>, index: number, last: boolean): AesGcmParams {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setUint32(7, index);
  nonce[11] = last ? 1 : 0;
  return { name: 'AES-GCM', iv: nonce, additionalData: head };
}

function notThisBlob(): SealFault {
  return new SealFault('foreign', 'These bytes are not what a browser of this GSV sealed');
}
