import { sha256 } from '@noble/hashes/sha2.js';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import type { ByteStream } from '../../shared/protocol/streams.ts';
import { toHex } from '../../shared/std/bytes.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { KeyedTurns } from '../../shared/std/keyed-turns.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { pieces } from './pieces.ts';
import type { RoomStorage, StoredBlob } from './storage.ts';

/** A longer blob is refused: that much of contents, and what a seal adds to them. */
export const BLOB_BYTES = 512 * 1024 * 1024 + 64 * 1024;
/** A blob that nothing refers to is kept for this long; so is one that is not whole, since it grew last. */
export const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
export const SWEEP_MS = 60 * 60 * 1000;
/** Bytes that are hashed before others get their turn. */
const HASH_TURN_BYTES = 4 * 1024 * 1024;

const IN_THE_CLEAR = 'This GSV is sealed now: its server takes no contents that it could read';

const NOTHING: StoredBlob = { stored: 0, whole: false, unusedSince: null };

/**
 * Contents by their SHA-256, or by a name whose meaning only replicas know. Invariants:
 * 1. A blob is `whole` only after what is stored of it was read back and has its hash, or the digest that its sender gave.
 * 2. Bytes are added at the end of what is stored alone; what two senders both have is stored once.
 */
export class Blobs {
  readonly #storage: RoomStorage;
  readonly #clock: Clock;
  readonly #sealed: () => boolean;
  readonly #turns = new KeyedTurns();

  /** `sealed`: whether the room is to be told nothing of contents, whose browsers may be of before that. */
  constructor(storage: RoomStorage, clock: Clock, sealed: () => boolean) {
    this.#storage = storage;
    this.#clock = clock;
    this.#sealed = sealed;
  }

  /** Removes what has been unused for too long, now and every hour. Never rejects. */
  async sweep(): Promise<void> {
    try {
      const time = this.#clock.now() - UNUSED_MS;
      for (const hash of await this.#storage.unusedBlobs(time)) await this.#removeUnused(hash, time);
    } catch (thrown) {
      console.error(`room: unused blobs could not be removed: ${messageOf(thrown)}`);
    }
    this.#clock.after(SWEEP_MS, () => void this.sweep());
  }

  async missing({ hashes }: Args<'blob.missing'>): Promise<Result<'blob.missing'>> {
    const missing: { hash: string; stored: number }[] = [];
    for (const hash of hashes) {
      const { whole, stored } = await this.#turns.take([hash], () => this.#wanted(hash));
      if (!whole) missing.push({ hash, stored });
    }
    return { missing };
  }

  /** Stores what arrives, also when the link breaks in the middle. Stops reading when another has sent all of it. */
  async put(
    { hash, size, offset, digest }: Args<'blob.put'>,
    stream: ByteStream | undefined,
    signal: AbortSignal,
  ): Promise<Result<'blob.put'>> {
    if (digest === undefined && this.#sealed())
      throw new SyscallError(409, IN_THE_CLEAR, { retryable: true });
    if (size > BLOB_BYTES) throw new SyscallError(413, `A blob has at most ${BLOB_BYTES} bytes`);
    if (offset > size) throw new SyscallError(400, 'The offset is past the end of the blob');
    let at = offset;
    for await (const piece of stream ? pieces(stream, signal) : []) {
      const { stored, whole } = await this.#turns.take([hash], () => this.#grow(hash, size, at, piece));
      at += piece.length;
      if (whole || stored < at) break;
    }
    return this.#turns.take([hash], () => this.#finish(hash, size, digest ?? hash));
  }

  async get({ hash, offset }: Args<'blob.get'>): Promise<{ size: number; stream: ByteStream }> {
    const { whole, stored } = await this.#turns.take([hash], () => this.#wanted(hash));
    if (!whole) throw new SyscallError(404, 'The server does not have this blob');
    if (offset > stored) throw new SyscallError(400, 'The offset is past the end of the blob');
    return { size: stored, stream: this.#read(hash, offset, stored) };
  }

  async release({ hashes, now }: Args<'blob.release'>): Promise<Result<'blob.release'>> {
    let released = 0;
    for (const hash of new Set(hashes)) {
      if (await this.#turns.take([hash], () => (now ? this.#remove(hash) : this.#unwanted(hash))))
        released += 1;
    }
    return { released };
  }

  /** What is stored; from now on it is kept. */
  async #wanted(hash: string): Promise<StoredBlob> {
    const blob = await this.#storage.blob(hash);
    if (!blob || blob.unusedSince === null) return blob ?? NOTHING;
    const kept = { ...blob, unusedSince: blob.whole ? null : this.#clock.now() };
    await this.#storage.putBlob(hash, kept);
    return kept;
  }

  /** Whether there is such a blob. */
  async #unwanted(hash: string): Promise<boolean> {
    const blob = await this.#storage.blob(hash);
    if (blob?.unusedSince === null)
      await this.#storage.putBlob(hash, { ...blob, unusedSince: this.#clock.now() });
    return blob !== undefined;
  }

  /** Whether there was such a blob. */
  async #remove(hash: string): Promise<boolean> {
    const blob = await this.#storage.blob(hash);
    if (blob) await this.#storage.removeBlob(hash);
    return blob !== undefined;
  }

  /** Adds what is new of a piece that begins at `at`. */
  async #grow(hash: string, size: number, at: number, piece: Uint8Array): Promise<StoredBlob> {
    if (at + piece.length > size)
      throw new SyscallError(400, `More than the ${size} bytes that were announced`);
    const blob = (await this.#storage.blob(hash)) ?? NOTHING;
    if (blob.whole || at > blob.stored) return blob;
    const added = piece.subarray(blob.stored - at);
    if (added.length === 0) return blob;
    const grown = { stored: blob.stored + added.length, whole: false, unusedSince: this.#clock.now() };
    await this.#storage.putBlob(hash, grown, added);
    return grown;
  }

  /** Bytes that are no part of this blob are dropped: those with another hash, and those past its end. */
  async #finish(hash: string, size: number, digest: string): Promise<Result<'blob.put'>> {
    const blob = await this.#wanted(hash);
    if (blob.whole || blob.stored < size) return { stored: blob.stored, whole: blob.whole };
    if (blob.stored === size && (await this.#hash(hash)) === digest) {
      await this.#storage.putBlob(hash, { stored: size, whole: true, unusedSince: null });
      return { stored: size, whole: true };
    }
    await this.#storage.removeBlob(hash);
    throw new SyscallError(400, 'The bytes do not have the hash of this blob', { retryable: true });
  }

  async #hash(hash: string): Promise<string> {
    const digest = sha256.create();
    for (let at = 0, turn = HASH_TURN_BYTES; ; ) {
      const bytes = await this.#storage.readBlob(hash, at);
      if (bytes.length === 0) return toHex(digest.digest());
      digest.update(bytes);
      at += bytes.length;
      if (at < turn) continue;
      turn = at + HASH_TURN_BYTES;
      await new Promise<void>((resolve) => this.#clock.after(0, resolve));
    }
  }

  #read(hash: string, offset: number, size: number): ByteStream {
    let at = offset;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const bytes = at < size ? await this.#storage.readBlob(hash, at) : undefined;
          if (bytes === undefined) return controller.close();
          if (bytes.length === 0) throw new SyscallError(502, 'The server has lost a part of this blob');
          at += bytes.length;
          controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
  }

  #removeUnused(hash: string, time: number): Promise<void> {
    return this.#turns.take([hash], async () => {
      const blob = await this.#storage.blob(hash);
      if (!blob || blob.unusedSince === null || blob.unusedSince > time) return;
      await this.#storage.removeBlob(hash);
    });
  }
}
