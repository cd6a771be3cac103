import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';

/** Every planted string begins so; nothing else contains it. */
const MARK = 'zq7planted';
const PLANTED = new RegExp(`${MARK}-[a-z]+-\\d{3}`, 'g');
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
/** Long enough for a planted string. */
const BASE64 = /[\w+/-]{28,}/g;
const HEX = /[0-9a-f]{40,}/gi;
/** Encodings within one another. */
const DEPTH = 2;

/** Strings that nobody but their owner shall read, each once, named for where they were put. */
export class Planted {
  readonly all: string[] = [];

  /** `what`: lower-case letters. Fits in names of files, arguments of commands, and JSON. */
  one(what: string): string {
    const text = `${MARK}-${what}-${String(this.all.length).padStart(3, '0')}`;
    this.all.push(text);
    return text;
  }

  some(count: number, what: string): string[] {
    return Array.from({ length: count }, () => this.one(what));
  }

  /** Those that stand somewhere in these bytes: as they are, in base64, hexadecimal or UTF-16, also within gzip. */
  in(places: Iterable<Buffer>): Set<string> {
    const found = new Set<string>();
    for (const bytes of places) {
      for (const text of readings(bytes)) for (const [one] of text.matchAll(PLANTED)) found.add(one);
    }
    return found;
  }
}

/** Every file below a directory. */
export function* filesBelow(directory: string): Generator<Buffer> {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) yield readFileSync(join(entry.parentPath, entry.name));
  }
}

/** The bytes, and what they may be an encoding of. */
function* readings(bytes: Buffer, depth = 0): Generator<string> {
  const text = bytes.toString('latin1');
  yield text;
  for (const start of [0, 1]) yield bytes.subarray(start).toString('utf16le');
  if (depth === DEPTH) return;
  for (const inner of encodedIn(bytes, text)) yield* readings(inner, depth + 1);
}

function* encodedIn(bytes: Buffer, text: string): Generator<Buffer> {
  // A run may begin before what was encoded does.
  for (const [run] of text.matchAll(BASE64)) {
    for (const start of [0, 1, 2, 3]) yield Buffer.from(run.slice(start), 'base64url');
  }
  for (const [run] of text.matchAll(HEX))
    for (const start of [0, 1]) yield Buffer.from(run.slice(start), 'hex');
  for (let at = bytes.indexOf(GZIP); at >= 0; at = bytes.indexOf(GZIP, at + 1)) {
    try {
      yield gunzipSync(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH });
    } catch {
      // These three bytes by chance.
    }
  }
}
