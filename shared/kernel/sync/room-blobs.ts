import { SyscallError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Peer } from '../../protocol/peer.ts';
import type { ByteStream } from '../../protocol/streams.ts';
import { askRoom } from './ask-room.ts';
import { BlobDownload } from './blob-download.ts';
import type { RoomForms } from './room-form.ts';

/** Names of one call. */
const NAMES = 500;
const READ_BYTES = 1024 * 1024;
/** Long enough for a large blob on a slow line; what has arrived by then is kept. */
const TRANSFER_MS = 15 * 60_000;

/** `stored`: how many bytes the room has of what would be sent now. */
export type MissingBlob = { hash: string; stored: number };

/** What a room is asked and told about contents, in the forms in which it has them. Methods reject with SyscallError. */
export class RoomBlobs {
  readonly #forms: RoomForms;

  constructor(forms: RoomForms) {
    this.#forms = forms;
  }

  /** Of these, what the room does not have whole in any form. What it has it keeps. */
  async missing(peer: Peer, hashes: readonly string[]): Promise<MissingBlob[]> {
    const outdated = await this.outdated(peer, hashes);
    const older = await this.#olderNames(outdated.map(({ hash }) => hash));
    const lacking = await storedOf(peer, older.flat());
    return outdated.filter((_, at) => older[at]?.every((name) => lacking.has(name)));
  }

  /** Of these, what the room does not have whole in the form in which it would be sent now. */
  async outdated(peer: Peer, hashes: readonly string[]): Promise<MissingBlob[]> {
    const forms = await Promise.all(hashes.map((hash) => this.#forms.all(hash)));
    const newest = forms.map(([{ name }]) => name);
    const lacking = await storedOf(peer, newest);
    return hashes.flatMap((hash, at) => {
      const stored = lacking.get(newest[at] ?? '');
      return stored === undefined ? [] : [{ hash, stored }];
    });
  }

  /** Sends what the room lacks of a content. Resolves when it has all of it. */
  async send(peer: Peer, { hash, stored }: MissingBlob, content: Uint8Array<ArrayBuffer>): Promise<void> {
    const { name, bytes, digest } = await this.#forms.toSend(hash, content);
    const offset = stored < bytes.length ? stored : 0;
    const args = { hash: name, size: bytes.length, offset, ...(digest === undefined ? {} : { digest }) };
    const options = { stream: slices(bytes.subarray(offset)), timeoutMs: TRANSFER_MS };
    const { data } = await askRoom(peer, 'blob.put', args, options);
    if (!data.whole) throw new SyscallError(503, 'a blob has not arrived whole', { retryable: true });
  }

  async download(hash: string): Promise<BlobDownload> {
    return new BlobDownload(await this.#forms.all(hash));
  }

  /** Nothing refers to these contents any more. */
  async release(peer: Peer, hashes: readonly string[]): Promise<void> {
    const forms = await Promise.all(hashes.map((hash) => this.#forms.all(hash)));
    const names = forms.flat().map(({ name }) => name);
    for (const some of batches(names)) await askRoom(peer, 'blob.release', { hashes: some });
  }

  /** The room loses these contents in every form but the newest, at once. */
  async removeOlder(peer: Peer, hashes: readonly string[]): Promise<void> {
    await removeNames(peer, (await this.#olderNames(hashes)).flat());
  }

  /** The room loses these contents in every form, at once. */
  async removeAll(peer: Peer, hashes: readonly string[]): Promise<void> {
    const forms = await Promise.all(hashes.map((hash) => this.#forms.all(hash)));
    await removeNames(
      peer,
      forms.flat().map(({ name }) => name),
    );
  }

  #olderNames(hashes: readonly string[]): Promise<string[][]> {
    return Promise.all(
      hashes.map(async (hash) => (await this.#forms.all(hash)).slice(1).map(({ name }) => name)),
    );
  }
}

async function removeNames(peer: Peer, names: readonly string[]): Promise<void> {
  for (const some of batches(names)) await askRoom(peer, 'blob.release', { hashes: some, now: true });
}

/** Of these names, those that the room does not have whole, with how many bytes it has of each. */
async function storedOf(peer: Peer, names: readonly string[]): Promise<Map<string, number>> {
  const lacking = new Map<string, number>();
  for (const hashes of batches(names)) {
    const { data } = await askRoom(peer, 'blob.missing', { hashes });
    for (const { hash, stored } of data.missing) lacking.set(hash, stored);
  }
  return lacking;
}

function* batches(names: readonly string[]): Iterable<string[]> {
  for (let at = 0; at < names.length; at += NAMES) yield names.slice(at, at + NAMES);
}

/** The bytes as a stream that is read in steps. */
function slices(bytes: Uint8Array): ByteStream {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, at + Math.min(READ_BYTES, limits.windowBytes)));
        at += READ_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}
