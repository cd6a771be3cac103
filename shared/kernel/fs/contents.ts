import { fromBase64, toBase64 } from '../../std/bytes.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import { FsError } from './fs-error.ts';
import { blobOf, type Content, type Inode, type Inodes } from './inodes.ts';

/** Longer contents live in the blob store (DESIGN 4). */
export const INLINE_BYTES = 4096;

/**
 * The bytes of files. Invariants:
 * 1. A blob is on disk before a row points at it.
 * 2. A blob is deleted only when no row points at it and the row that did is known to be on disk as changed.
 * 3. Storing and deleting never overlap, so a blob that is being referred to again is not deleted.
 */
export class Contents {
  readonly #inodes: Inodes;
  readonly #blobs: BlobStore;
  readonly #garbage = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(inodes: Inodes, blobs: BlobStore) {
    this.#inodes = inodes;
    this.#blobs = blobs;
  }

  async read(inode: Inode, path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { content } = inode;
    if (!content) return new Uint8Array(0);
    if ('text' in content) return new TextEncoder().encode(content.text);
    if ('base64' in content) return fromBase64(content.base64);
    const bytes = await this.#blobs.get(content.blob);
    if (!bytes) throw new FsError('EIO', path);
    return bytes;
  }

  /** Stores the bytes and hands `place` what a row needs to point at them. */
  async store(
    bytes: Uint8Array<ArrayBuffer>,
    path: string,
    place: (content: Content) => void,
  ): Promise<void> {
    const inline = inlineContent(bytes);
    if (inline) return place(inline);
    await this.#alone(async () => place({ blob: await this.#put(bytes, path) }));
  }

  async #put(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<string> {
    try {
      return await this.#blobs.put(bytes);
    } catch (cause) {
      throw new FsError(
        'ENOSPC',
        path,
        `cannot store (${cause instanceof Error ? cause.message : String(cause)})`,
      );
    }
  }

  /** Remembers the blob of a row that is about to change, for `collect`. */
  release(inode: Inode): void {
    const hash = blobOf(inode);
    if (hash !== undefined) this.#garbage.add(hash);
  }

  /** What was released until now; pass it to `collect` when the rows are on disk. */
  released(): string[] {
    return [...this.#garbage];
  }

  /** Deletes what nothing refers to; what cannot be deleted now is tried again with the next. */
  async collect(hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    await this.#alone(async () => {
      for (const hash of hashes) {
        this.#garbage.delete(hash);
        if (this.#inodes.references(hash) > 0) continue;
        await this.#blobs.delete(hash).catch(() => this.#garbage.add(hash));
      }
    });
  }

  #alone(run: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function inlineContent(bytes: Uint8Array): Content | undefined {
  if (bytes.length > INLINE_BYTES) return undefined;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: toBase64(bytes) };
  }
}
