import { sha256 } from '@noble/hashes/sha2.js';
import { Deflate, deflateSync } from 'fflate';
import { toHex } from '../../std/bytes.ts';
import { Crc32 } from './crc32.ts';
import { DEFLATED, STORED } from './zip-format.ts';

/** An entry's bytes as they stand in the zip file, and what its headers say of them. Sizes in bytes. */
export type Packed = {
  method: typeof STORED | typeof DEFLATED;
  crc: number;
  size: number;
  /** Of the bytes before packing, lower-case hexadecimal. */
  sha256: string;
  packedSize: number;
  parts: readonly Uint8Array[];
};

/** How much of a blob is tried to see whether it can be packed at all. */
const SAMPLE_BYTES = 64 * 1024;
/** What does not get below this share of its size is stored as it is. */
const WORTHWHILE = 0.95;

/** Packs bytes as they come; only what they are packed to is held. */
export class Packer {
  readonly #crc = new Crc32();
  readonly #hash = sha256.create();
  readonly #parts: Uint8Array[] = [];
  readonly #deflate = new Deflate((part) => void this.#parts.push(part));
  #size = 0;

  add(bytes: Uint8Array): void {
    this.#crc.add(bytes);
    this.#hash.update(bytes);
    this.#deflate.push(bytes);
    this.#size += bytes.length;
  }

  /** Ends the packing. Call it once. */
  finish(): Packed {
    this.#deflate.push(new Uint8Array(0), true);
    const packedSize = this.#parts.reduce((total, part) => total + part.length, 0);
    const sums = { crc: this.#crc.value, sha256: toHex(this.#hash.digest()) };
    return { method: DEFLATED, ...sums, size: this.#size, packedSize, parts: this.#parts };
  }
}

/** Whether packing these bytes is worth its time: pictures, sound and archives are packed already. */
export function isWorthPacking(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return deflateSync(sample, { level: 1 }).length < sample.length * WORTHWHILE;
}

/** The bytes as they are. */
export function store(bytes: Uint8Array, hash: string): Packed {
  const crc = new Crc32();
  crc.add(bytes);
  const size = bytes.length;
  return { method: STORED, crc: crc.value, sha256: hash, size, packedSize: size, parts: [bytes] };
}
