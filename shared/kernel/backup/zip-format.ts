/** The signatures of a zip file's parts (APPNOTE 4.3), as little-endian numbers. */
export const LOCAL_HEADER = 0x04034b50;
export const CENTRAL_HEADER = 0x02014b50;
export const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;

export const LOCAL_HEADER_BYTES = 30;
export const END_BYTES = 22;
export const STORED = 0;
export const DEFLATED = 8;

/** Readers need 2.0 for deflate, 4.5 for the 64-bit fields. */
const VERSION = 20;
const VERSION64 = 45;
const MAX16 = 0xffff;
const MAX32 = 0xffffffff;
const ZIP64_FIELD = 0x0001;

/** What the headers of an entry say. Sizes are in bytes and below 4 GiB. */
export type EntryHeader = {
  name: string;
  method: number;
  flags: number;
  crc: number;
  packedSize: number;
  size: number;
  extraBytes: number;
};
type Stamp = { date: number; time: number };
type Written = Pick<EntryHeader, 'name' | 'method' | 'crc' | 'packedSize' | 'size'>;

/** A point in time (milliseconds since the epoch) as zip says it: from 1980 on, UTC, by two seconds. */
export function stampOf(ms: number): Stamp {
  const at = new Date(ms);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return at.getUTCFullYear() < 1980 ? { date: 0x21, time: 0 } : { date, time };
}

export function localHeader(entry: Written, stamp: Stamp): Uint8Array {
  const name = new TextEncoder().encode(entry.name);
  const fields = new Fields(LOCAL_HEADER_BYTES + name.length).u32(LOCAL_HEADER).u16(VERSION);
  return shared(fields, entry, stamp, name.length, 0).bytes(name).done();
}

/** Reads the fixed part of a local header; the name, which `name` decodes, and the extra field follow it. */
export function parseLocalHeader(bytes: Uint8Array): Omit<EntryHeader, 'name'> & { nameBytes: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const u16 = (at: number): number => view.getUint16(at, true);
  const u32 = (at: number): number => view.getUint32(at, true);
  const sizes = { crc: u32(14), packedSize: u32(18), size: u32(22) };
  return { flags: u16(6), method: u16(8), ...sizes, nameBytes: u16(26), extraBytes: u16(28) };
}

/** `offset`: where the local header stands; beyond 4 GiB it goes into a 64-bit field. */
export function centralHeader(entry: Written, stamp: Stamp, offset: number): Uint8Array {
  const name = new TextEncoder().encode(entry.name);
  const far = offset >= MAX32;
  const extra = far ? 12 : 0;
  const version = far ? VERSION64 : VERSION;
  const fields = new Fields(46 + name.length + extra).u32(CENTRAL_HEADER).u16(version).u16(version);
  shared(fields, entry, stamp, name.length, extra).u16(0).u16(0).u16(0).u32(0);
  fields.u32(far ? MAX32 : offset).bytes(name);
  if (far) fields.u16(ZIP64_FIELD).u16(8).u64(offset);
  return fields.done();
}

/** The end of a file whose central directory of `count` entries stands at `offset`. */
export function endOf(count: number, size: number, offset: number): Uint8Array {
  const large = count >= MAX16 || size >= MAX32 || offset >= MAX32;
  const fields = new Fields(END_BYTES + (large ? 56 + 20 : 0));
  if (large) {
    fields.u32(END64).u64(44).u16(VERSION64).u16(VERSION64).u32(0).u32(0);
    fields.u64(count).u64(count).u64(size).u64(offset);
    fields
      .u32(LOCATOR64)
      .u32(0)
      .u64(offset + size)
      .u32(1);
  }
  const entries = Math.min(count, MAX16);
  fields.u32(END).u16(0).u16(0).u16(entries).u16(entries);
  return fields.u32(Math.min(size, MAX32)).u32(Math.min(offset, MAX32)).u16(0).done();
}

/** The fields that both headers have, in the same order. */
function shared(fields: Fields, entry: Written, stamp: Stamp, name: number, extra: number): Fields {
  fields.u16(0).u16(entry.method).u16(stamp.time).u16(stamp.date);
  return fields.u32(entry.crc).u32(entry.packedSize).u32(entry.size).u16(name).u16(extra);
}

/** Little-endian fields, one after the other. */
class Fields {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
    this.#view = new DataView(this.#bytes.buffer);
  }

  u16(value: number): this {
    this.#view.setUint16(this.#move(2), value, true);
    return this;
  }

  u32(value: number): this {
    this.#view.setUint32(this.#move(4), value, true);
    return this;
  }

  u64(value: number): this {
    this.#view.setBigUint64(this.#move(8), BigInt(value), true);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#bytes.set(value, this.#move(value.length));
    return this;
  }

  done(): Uint8Array {
    return this.#bytes;
  }

  #move(length: number): number {
    this.#at += length;
    return this.#at - length;
  }
}
