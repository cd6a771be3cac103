import { SyscallError } from '../../protocol/errors.ts';
import type { Peer } from '../../protocol/peer.ts';
import { concatBytes } from '../../std/bytes.ts';
import { askRoom } from './ask-room.ts';
import type { RoomForm } from './room-form.ts';

/** Long enough for a large blob on a slow line; what has arrived by then is kept. */
const TRANSFER_MS = 15 * 60_000;
/** Of contents, and of what a seal adds to them. */
const BLOB_BYTES = 512 * 1024 * 1024 + 64 * 1024;

/**
 * A blob on its way here, in one of the forms in which the room may have it. What has arrived stays when a link breaks,
 * and over the next one the rest is asked for.
 */
export class BlobDownload {
  readonly #forms: RoomForm[];
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(forms: readonly RoomForm[]) {
    this.#forms = [...forms];
  }

  /**
   * Resolves with its contents, which are what was asked for. Rejects with SyscallError; then it can be asked again, but
   * after 404. Rejects with SealFault when what came was changed.
   */
  async over(peer: Peer): Promise<Uint8Array<ArrayBuffer>> {
    for (;;) {
      const [form] = this.#forms;
      if (!form) throw new SyscallError(404, 'The server does not have these contents');
      try {
        return await form.open(await this.#bytes(peer, form.name));
      } catch (thrown) {
        if (!(thrown instanceof SyscallError) || thrown.code !== 404) throw thrown;
        this.#forms.shift();
        [this.#chunks, this.#length] = [[], 0];
      }
    }
  }

  async #bytes(peer: Peer, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const asked = { hash: name, offset: this.#length };
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
