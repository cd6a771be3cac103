import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, sha256Hex, toHex } from '../../std/bytes.ts';
import type { ByteReader } from './byte-reader.ts';
import { damaged } from './damaged.ts';
import { type FileName, MANIFEST, parseFileName } from './file-names.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { decodeRows } from './row-lines.ts';
import { Staging } from './staging.ts';
import { readEntries, type ZipEntry } from './zip-reader.ts';

/** A file's contents are held whole while they are stored. */
export const LARGEST_BLOB = 256 * 1024 * 1024;
/** Rows are held until they are all there. */
const MOST_ROW_BYTES = 512 * 1024 * 1024;
const LARGEST_MANIFEST = 128 * 1024 * 1024;
/** More than a browser lets a site store. */
const MOST_BLOB_BYTES = 64 * 1024 * 1024 * 1024;

type PutBlob = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
const ORDER: FileName['kind'][] = ['rows', 'blob', 'manifest'];

/**
 * Reads an exported file to its end: rows into a staging, contents to `putBlob` one at a time, each checked against its
 * hash and against the rows, which come first. Rejects with SyscallError 400 on a file that is damaged or none of ours.
 */
export async function readExport(
  reader: ByteReader,
  putBlob: PutBlob,
): Promise<{ staging: Staging; manifest: Manifest }> {
  const reading = new Reading(putBlob);
  for await (const entry of readEntries(reader)) await reading.take(entry);
  return reading.finish();
}

class Reading {
  readonly #staging = new Staging();
  readonly #putBlob: PutBlob;
  #manifest: Manifest | null = null;
  #kind: FileName['kind'] = 'rows';
  #rowBytes = 0;
  #blobBytes = 0;

  constructor(putBlob: PutBlob) {
    this.#putBlob = putBlob;
  }

  async take(entry: ZipEntry): Promise<void> {
    const name = parseFileName(entry.name);
    if (this.#manifest || ORDER.indexOf(name.kind) < ORDER.indexOf(this.#kind))
      throw damaged('its parts are out of order');
    this.#kind = name.kind;
    if (name.kind === 'rows') await this.#rows(entry, name.doc, name.table);
    else if (name.kind === 'blob') await this.#blob(entry, name.hash);
    else this.#manifest = parseManifest(await textOf(entry));
  }

  finish(): { staging: Staging; manifest: Manifest } {
    if (!this.#manifest) throw damaged('it has no manifest');
    this.#staging.check(this.#manifest);
    return { staging: this.#staging, manifest: this.#manifest };
  }

  async #rows(entry: ZipEntry, doc: string, table: string): Promise<void> {
    const { name, size } = entry;
    this.#rowBytes += size;
    if (this.#rowBytes > MOST_ROW_BYTES) throw damaged('it holds more rows than a browser can take');
    const hash = sha256.create();
    const put = this.#staging.table(doc, table);
    for await (const row of decodeRows(hashed(entry.contents(), hash), name)) put(row);
    this.#staging.entry({ name, size, sha256: toHex(hash.digest()) });
  }

  async #blob(entry: ZipEntry, hash: string): Promise<void> {
    const { name, size } = entry;
    this.#blobBytes += size;
    if (size > LARGEST_BLOB || this.#blobBytes > MOST_BLOB_BYTES) throw damaged(`${name} is too large`);
    if (!this.#staging.refersTo(hash)) throw damaged(`no file in it has the contents ${name}`);
    const bytes = await bytesOf(entry);
    if ((await sha256Hex(bytes)) !== hash) throw damaged(`${name} has another hash`);
    await this.#putBlob(bytes);
    this.#staging.blob(hash);
    this.#staging.entry({ name, size });
  }
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

async function bytesOf(entry: ZipEntry): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of entry.contents()) pieces.push(piece);
  return concatBytes(pieces);
}

async function textOf(entry: ZipEntry): Promise<string> {
  if (entry.size > LARGEST_MANIFEST) throw damaged(`${MANIFEST} is too large`);
  const bytes = await bytesOf(entry);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw damaged(`${MANIFEST} is not text`);
  }
}
