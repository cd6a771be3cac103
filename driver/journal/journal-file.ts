import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { JournalRecord, type JournalStore, type Place } from './journal-store.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const NAME = 'journal.jsonl';

/** The journal on disk: one JSON record a line, appended. Readable by its owner only. */
export class JournalFile implements JournalStore {
  readonly #path: string;
  #file: FileHandle;
  #size = 0;
  /** Whether the file may hold a part of a record behind `#size`. */
  #torn = false;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async open(directory: string): Promise<JournalFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, NAME);
    return new JournalFile(path, await open(path, 'a+', 0o600));
  }

  get size(): number {
    return this.#size;
  }

  /** A last record that was being written when the program died is cut off. */
  async scan(found: (record: JournalRecord, place: Place) => void): Promise<void> {
    let rest = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await this.#file.read(chunk, 0, CHUNK_BYTES, this.#size + rest.length);
      if (bytesRead === 0) break;
      rest = this.#scanLines(Buffer.concat([rest, chunk.subarray(0, bytesRead)]), found);
    }
    if (rest.length > 0) await this.#file.truncate(this.#size);
  }

  append(record: JournalRecord, how: 'durable' | 'written', learn: (place: Place) => void): Promise<void> {
    return this.#inOrder(async () => {
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      await this.#appendWhole(line);
      learn({ at: this.#size, length: line.length });
      this.#size += line.length;
      if (how === 'durable') await this.#file.datasync();
    });
  }

  read(place: Readonly<Place>): Promise<JournalRecord | undefined> {
    return this.#inOrder(async () => parse(await this.#bytes(place.at, place.length)));
  }

  rewrite(kept: Iterable<Place>): Promise<void> {
    return this.#inOrder(async () => {
      const places = [...kept];
      const total = places.reduce((sum, { length }) => sum + length, 0);
      if (total === this.#size) return;
      const fresh = await open(`${this.#path}.new`, 'w+', 0o600);
      try {
        for (const { at, length } of places) await fresh.appendFile(await this.#bytes(at, length));
        await fresh.sync();
        await rename(`${this.#path}.new`, this.#path);
      } catch (thrown) {
        await fresh.close();
        throw thrown;
      }
      await this.#file.close();
      this.#file = fresh;
      this.#size = 0;
      for (const place of places) {
        place.at = this.#size;
        this.#size += place.length;
      }
    });
  }

  close(): Promise<void> {
    return this.#inOrder(() => this.#file.close());
  }

  /** A full disk may take a part of a line. What stays of it would be read as the beginning of the next. */
  async #appendWhole(line: Buffer): Promise<void> {
    if (this.#torn) await this.#file.truncate(this.#size);
    this.#torn = true;
    try {
      await this.#file.appendFile(line);
    } catch (thrown) {
      await this.#file.truncate(this.#size);
      this.#torn = false;
      throw thrown;
    }
    this.#torn = false;
  }

  #scanLines(bytes: Buffer, found: (record: JournalRecord, place: Place) => void): Buffer<ArrayBuffer> {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      const length = end + 1 - start;
      const record = parse(bytes.subarray(start, end));
      if (record) found(record, { at: this.#size, length });
      this.#size += length;
      start = end + 1;
    }
    return Buffer.from(bytes.subarray(start));
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    await this.#file.read(bytes, 0, length, at);
    return bytes;
  }

  async #inOrder<Value>(run: () => Promise<Value>): Promise<Value> {
    const done = this.#queue.then(run);
    this.#queue = done.catch(() => {});
    return done;
  }
}

function parse(line: Buffer): JournalRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return Value.Check(JournalRecord, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
