import { SyscallError } from '../../protocol/errors.ts';
import type { Peer } from '../../protocol/peer.ts';
import { concatBytes } from '../../std/bytes.ts';
import { askRoom } from './ask-room.ts';

/** Long enough for a large blob on a slow line; what has arrived by then is kept. */
const TRANSFER_MS = 15 * 60_000;
const BLOB_BYTES = 512 * 1024 * 1024;

/** A blob on its way here. What has arrived stays when a link breaks, and over the next one the rest is asked for. */
export class BlobDownload {
  readonly #hash: string;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(hash: string) {
    this.#hash = hash;
  }

  /** Resolves with all of its bytes, which nobody has checked. Rejects with SyscallError; then it can be asked again. */
  async over(peer: Peer): Promise<Uint8Array<ArrayBuffer>> {
    const asked = { hash: this.#hash, offset: this.#length };
    const { stream } = await askRoom(peer, 'blob.get', asked, { timeoutMs: TRANSFER_MS });
    if (!stream) throw new SyscallError(502, 'The server sent no contents');
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return concatBytes(this.#chunks);
      this.#chunks.push(value);
      this.#length += value.length;
      if (this.#length <= BLOB_BYTES) continue;
      await reader.cancel().catch(() => {});
      throw new SyscallError(413, `More than ${BLOB_BYTES} bytes`);
    }
  }
}
