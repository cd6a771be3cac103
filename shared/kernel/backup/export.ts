import type { ByteStream } from '../../protocol/streams.ts';
import { GSV_VERSION } from '../../protocol/version.ts';
import { CONTROL_DOC, type ControlTables } from '../../state/control.ts';
import { FS_DOC, SYSTEM_DOC } from '../../state/system.ts';
import { sha256Hex } from '../../std/bytes.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import { FIRST_UID } from '../auth/accounts.ts';
import type { Documents } from '../documents.ts';
import { conversationStates, rowsOf, segmentsOf, type TableRows } from './document-rows.ts';
import { blobFile, MANIFEST, rowsFile } from './file-names.ts';
import { asExported, blobOfRow, isFile, isLeftOut, isMessage, isSealed } from './left-out.ts';
import { FORMAT, FORMAT_VERSION, type Manifest, noCounts } from './manifest.ts';
import { isWorthPacking, type Packed, Packer, store } from './pack.ts';
import { encodeRows, type Row } from './row-lines.ts';
import { ZipWriter } from './zip-writer.ts';

export type ExportParts = {
  documents: Pick<Documents, 'replicated' | 'open' | 'close'>;
  tables: Pick<ControlTables, 'users'>;
  clock: Clock;
  /** The contents of a blob, from here or from the room; undefined or a rejection when they cannot be had. May be slow. */
  readBlob(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Whether there is a room that cannot be asked now, so that a document that is not here may be elsewhere. */
  roomAway(): boolean;
};

/** Bytes that are packed in one go, before other work of the kernel gets its turn. */
const STEP_BYTES = 1024 * 1024;

/**
 * Everything as one zip file, in pieces: rows by document (`control` and `system` first, `fs` last), blobs, the manifest. Holds one
 * document and one packed table, or one blob, at a time. What cannot be had is named in the manifest; only those
 * three must be there. Documents are as they are when their turn comes, each whole.
 */
export class Export {
  readonly #parts: ExportParts;
  readonly #zip: ZipWriter;
  readonly #manifest: Manifest;
  readonly #blobs = new Set<string>();
  readonly #never = new AbortController().signal;

  constructor(parts: ExportParts) {
    this.#parts = parts;
    const createdAt = parts.clock.now();
    this.#zip = new ZipWriter(createdAt);
    this.#manifest = {
      format: FORMAT,
      version: FORMAT_VERSION,
      gsv: GSV_VERSION,
      createdAt,
      username: parts.tables.users.get(String(FIRST_UID))?.username ?? '',
      counts: { ...noCounts },
      files: [],
      missing: { documents: [], blobs: [] },
      secrets: [],
    };
  }

  /** What a browser calls the file. */
  get name(): string {
    const { username, createdAt } = this.#manifest;
    return `gsv-${username}-${new Date(createdAt).toISOString().slice(0, 10)}.zip`;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    yield* this.#documents();
    for (const hash of [...this.#blobs].sort()) yield* this.#blob(hash);
    const text = new TextEncoder().encode(JSON.stringify(this.#manifest));
    yield* this.#zip.entry(MANIFEST, await this.#pack([text]));
    yield* this.#zip.end();
  }

  /** Those on this disk, and those that their rows speak of: a conversation that was never opened here is in the room. */
  async *#documents(): AsyncGenerator<Uint8Array> {
    const here = new Set(await this.#parts.documents.replicated());
    const system = await this.#read(SYSTEM_DOC);
    yield* this.#document(CONTROL_DOC, await this.#read(CONTROL_DOC));
    yield* this.#document(SYSTEM_DOC, system);
    const done = new Set([CONTROL_DOC, SYSTEM_DOC, FS_DOC]);
    /** Documents that hold rows for certain. */
    const counted = new Set<string>();
    const waiting = [...conversationStates(system), ...[...here].sort()].reverse();
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (done.has(name)) continue;
      done.add(name);
      const tables = await this.#read(name).catch(() => undefined);
      const isEmpty = tables?.every(({ rows }) => rows.length === 0) ?? true;
      const isElsewhere = counted.has(name) || (!here.has(name) && this.#parts.roomAway());
      if (!tables || (isEmpty && isElsewhere)) this.#manifest.missing.documents.push(name);
      if (!tables || isEmpty) continue;
      for (const segment of segmentsOf(name, tables).reverse()) {
        counted.add(segment);
        waiting.push(segment);
      }
      yield* this.#document(name, tables);
    }
    yield* this.#document(FS_DOC, await this.#read(FS_DOC));
  }

  async *#document(doc: string, tables: readonly TableRows[]): AsyncGenerator<Uint8Array> {
    let stored = false;
    for (const { table, rows: all } of tables) {
      const rows = isLeftOut(doc, table) ? [] : this.#chosen(doc, table, all);
      if (rows.length === 0) continue;
      stored = true;
      const packed = await this.#pack(encodeRows(rows));
      yield* this.#add(rowsFile(doc, table), packed, packed.sha256);
    }
    if (stored) this.#manifest.counts.documents += 1;
  }

  async #read(doc: string): Promise<TableRows[]> {
    const { documents } = this.#parts;
    const tables = rowsOf(await documents.open(doc));
    await documents.close(doc);
    return tables;
  }

  /** The rows that leave, noted in the manifest by what they are. */
  #chosen(doc: string, table: string, all: readonly Row[]): Row[] {
    const { counts, secrets } = this.#manifest;
    const rows: Row[] = [];
    for (const { key, value } of all) {
      if (isSealed(doc, table, value)) {
        secrets.push(key);
        continue;
      }
      const hash = blobOfRow(doc, table, value);
      if (hash !== undefined) this.#blobs.add(hash);
      if (isFile(doc, table, value)) counts.files += 1;
      rows.push({ key, value: asExported(doc, table, value) });
    }
    counts.rows += rows.length;
    if (isMessage(doc, table)) counts.messages += rows.length;
    return rows;
  }

  async *#blob(hash: string): AsyncGenerator<Uint8Array> {
    const bytes = await this.#parts.readBlob(hash).catch(() => undefined);
    // What is not what its name says would make the whole file one that cannot be imported.
    if (!bytes || (await sha256Hex(bytes)) !== hash) {
      this.#manifest.missing.blobs.push(hash);
      return;
    }
    const packed = isWorthPacking(bytes) ? await this.#pack(inSteps(bytes)) : store(bytes, hash);
    this.#manifest.counts.blobs += 1;
    yield* this.#add(blobFile(hash), packed.packedSize < bytes.length ? packed : store(bytes, hash));
  }

  *#add(name: string, packed: Packed, sha256?: string): Generator<Uint8Array> {
    this.#manifest.files.push({ name, size: packed.size, ...(sha256 === undefined ? {} : { sha256 }) });
    yield* this.#zip.entry(name, packed);
  }

  async #pack(pieces: Iterable<Uint8Array>): Promise<Packed> {
    const packer = new Packer();
    let sinceTurn = 0;
    for (const piece of pieces) {
      packer.add(piece);
      sinceTurn += piece.length;
      if (sinceTurn < STEP_BYTES) continue;
      sinceTurn = 0;
      await pause(this.#parts.clock, 0, this.#never);
    }
    return packer.finish();
  }
}

/** A stream that asks for a piece only when its reader wants one; cancelling it ends the source. */
export function streamFrom(pieces: AsyncGenerator<Uint8Array>): ByteStream {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const step = await pieces.next();
        if (step.done) controller.close();
        else controller.enqueue(step.value);
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

function* inSteps(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) yield bytes.subarray(at, at + STEP_BYTES);
}
