import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ModelDisk } from './model-disk.ts';

/** What an interrupted download loses at most, and what is held in memory of it. */
export const PIECE_BYTES = 8 * 1024 * 1024;

export const pieceName = (at: number): string => String(at).padStart(5, '0');

/** Appends to a model's file, piece by piece, and hashes what it writes. Only whole pieces survive an interruption. */
export class PieceWriter {
  readonly #disk: ModelDisk;
  readonly #directory: string;
  readonly #pieceBytes: number;
  readonly #hash = sha256.create();
  readonly #piece: Uint8Array<ArrayBuffer>;
  #count = 0;
  #filled = 0;

  private constructor(disk: ModelDisk, directory: string, pieceBytes: number) {
    this.#disk = disk;
    this.#directory = directory;
    this.#pieceBytes = pieceBytes;
    this.#piece = new Uint8Array(pieceBytes);
  }

  /** Goes on after the whole pieces that are there: they are read once more, for the hash. */
  static async open(disk: ModelDisk, directory: string, pieceBytes = PIECE_BYTES): Promise<PieceWriter> {
    const writer = new PieceWriter(disk, directory, pieceBytes);
    await writer.#readStored();
    return writer;
  }

  /** Bytes that are on disk. */
  get stored(): number {
    return this.#count * this.#pieceBytes;
  }

  get pieces(): number {
    return this.#count;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + this.#pieceBytes - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === this.#pieceBytes) await this.#store();
    }
  }

  /** Stores the last piece; resolves to the SHA-256 of everything, lower-case hexadecimal. */
  async finish(): Promise<string> {
    if (this.#filled > 0) await this.#store();
    return bytesToHex(this.#hash.digest());
  }

  async #store(): Promise<void> {
    const piece = this.#piece.slice(0, this.#filled);
    await this.#disk.write(this.#directory, pieceName(this.#count), piece);
    this.#hash.update(piece);
    this.#count += 1;
    this.#filled = 0;
  }

  async #readStored(): Promise<void> {
    for (;;) {
      const stored = await this.#disk.read(this.#directory, pieceName(this.#count));
      if (stored?.size !== this.#pieceBytes) return;
      this.#hash.update(new Uint8Array(await stored.arrayBuffer()));
      this.#count += 1;
    }
  }
}
