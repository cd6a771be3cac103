import type { CatalogueModel } from '../../../shared/kernel/local/catalogue.ts';
import type { EngineName } from '../../../shared/kernel/local/engine-names.ts';
import { GGUF_HEAD_BYTES, readGguf } from '../../../shared/kernel/local/gguf.ts';
import { hubFile } from '../../../shared/kernel/local/hub.ts';
import type { Shelf, ShelvedModel } from '../../../shared/kernel/local/local-models.ts';
import type { DeviceFacts, ModelStore, StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import type { ModelInfo } from '../../../shared/kernel/ports/models.ts';
import type { ByteStream } from '../../../shared/protocol/streams.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { downloadInto, OtherFile } from './download.ts';
import { MODELS_DIRECTORY, type ModelDisk } from './model-disk.ts';
import { needRoom } from './need-room.ts';
import { PIECE_BYTES, PieceWriter, pieceName } from './pieces.ts';
import { published } from './published.ts';
import { freeId, readRow, type StoredRow, shownOf, writeRow } from './stored-row.ts';

export type ShelfParts = {
  disk: ModelDisk;
  /** Straight to the address: files of models never pass the room. */
  fetch: typeof fetch;
  clock: Clock;
  device(): Promise<DeviceFacts>;
  pieceBytes?: number;
};

/** Listeners hear of progress at most this often. */
const TELL_MS = 300;
/** A window larger than this costs memory and, on a processor, minutes before the first word. */
const MOST_WINDOW = 4_096;

const NEW = {
  problem: '',
  expected: '',
  given: false,
  sha256: '',
  checked: false,
  pieces: 0,
  tokensPerSecond: 0,
  mirror: '',
};

/** The models on this device's disk: downloads that survive reloads, imports, and what lent engines read. */
export class ModelShelf implements Omit<ModelStore, 'addCompiled'>, Shelf {
  readonly #parts: ShelfParts;
  readonly #rows = new Map<string, StoredRow>();
  readonly #stored = new Map<string, number>();
  readonly #running = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();
  readonly #opened: Promise<void>;
  #telling = false;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
    this.#opened = this.#open();
    this.#opened.catch(() => {});
  }

  device(): Promise<DeviceFacts> {
    return this.#parts.device();
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  list(): Promise<StoredModel[]>;
  list(engine: EngineName): Promise<ModelInfo[]>;
  async list(engine?: EngineName): Promise<StoredModel[] | ModelInfo[]> {
    await this.#opened;
    const rows = [...this.#rows.values()];
    if (engine === undefined) return rows.map((row) => shownOf(row, this.#stored.get(row.id) ?? 0));
    return rows
      .filter((row) => row.engine === engine && row.state === 'ready')
      .map(({ id, name, contextWindow }) => ({ id, name, contextWindow }));
  }

  async find(engine: EngineName, id: string): Promise<ShelvedModel | undefined> {
    await this.#opened;
    const row = this.#rows.get(id);
    if (row?.engine !== engine || row.state !== 'ready') return undefined;
    const files = Array.from({ length: row.pieces }, (_, at) => `${MODELS_DIRECTORY}/${id}/${pieceName(at)}`);
    const contextWindow = Math.min(row.contextWindow, MOST_WINDOW);
    return { name: row.name, files, contextWindow, callsTools: row.callsTools };
  }

  measured(_engine: EngineName, id: string, tokensPerSecond: number): void {
    const row = this.#rows.get(id);
    if (row)
      void this.#put({ ...row, tokensPerSecond: Math.round(tokensPerSecond * 10) / 10 }).catch(() => {});
  }

  async download(model: CatalogueModel, mirror: string): Promise<void> {
    await this.#opened;
    if (model.source.kind !== 'gguf') throw new Error('This model is loaded by its engine.');
    if (this.#rows.has(model.id)) return this.resume(model.id);
    const { id, name, engine, bytes, contextWindow, callsTools, source } = model;
    const address = hubFile(source.repository, source.file, mirror);
    await this.#begin(
      {
        ...NEW,
        id,
        name,
        engine,
        address,
        mirror,
        bytes: 0,
        state: 'downloading',
        contextWindow,
        callsTools,
      },
      bytes,
    );
  }

  async add(
    { address, sha256, callsTools }: { address: string; sha256: string; callsTools: boolean },
    mirror: string,
  ): Promise<string> {
    await this.#opened;
    const file = decodeURIComponent(new URL(address).pathname.split('/').at(-1) ?? '');
    const name = file.replace(/\.gguf$/i, '') || 'model';
    const id = this.#freeId(name);
    await this.#begin(
      {
        ...NEW,
        id,
        name,
        engine: 'wllama',
        address,
        mirror,
        bytes: 0,
        state: 'downloading',
        expected: sha256,
        given: sha256 !== '',
        contextWindow: MOST_WINDOW,
        callsTools,
      },
      0,
    );
    return id;
  }

  async resume(id: string): Promise<void> {
    await this.#opened;
    const row = this.#row(id);
    if (row.state === 'ready' || this.#running.has(id)) return;
    await this.#begin(row, row.bytes);
  }

  async pause(id: string): Promise<void> {
    await this.#opened;
    const row = this.#row(id);
    this.#running.get(id)?.abort();
    if (row.state === 'downloading') await this.#put({ ...row, state: 'paused', problem: '' });
  }

  async remove(id: string): Promise<void> {
    await this.#opened;
    this.#running.get(id)?.abort();
    this.#rows.delete(id);
    this.#stored.delete(id);
    await this.#parts.disk.remove(id);
    this.tell();
  }

  async importFile(name: string, bytes: ByteStream): Promise<string> {
    await this.#opened;
    const id = this.#freeId(name.replace(/\.gguf$/i, ''));
    const writer = await this.#writer(id);
    try {
      const reader = bytes.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read())
        await writer.write(part.value);
      const sha256 = await writer.finish();
      const row: StoredRow = {
        ...NEW,
        id,
        name: name.replace(/\.gguf$/i, ''),
        engine: 'wllama',
        address: '',
        bytes: 0,
        state: 'ready',
        contextWindow: MOST_WINDOW,
        callsTools: true,
      };
      await this.#put(await this.#finished(row, writer, sha256));
    } catch (thrown) {
      await this.#parts.disk.remove(id);
      throw thrown;
    }
    return id;
  }

  async #open(): Promise<void> {
    const { disk } = this.#parts;
    for (const directory of await disk.directories()) {
      const row = await readRow(disk, directory);
      if (!row || row.id !== directory) continue;
      this.#rows.set(row.id, row);
      const pieces = await this.#countPieces(row);
      this.#stored.set(row.id, row.state === 'ready' ? row.bytes : pieces * this.#pieceBytes);
      // A kernel that ended left it in the middle.
      if (row.state === 'downloading') this.#run(row);
    }
  }

  async #countPieces(row: StoredRow): Promise<number> {
    if (row.state === 'ready') return row.pieces;
    let count = 0;
    while (await this.#parts.disk.read(row.id, pieceName(count))) count += 1;
    return count;
  }

  get #pieceBytes(): number {
    return this.#parts.pieceBytes ?? PIECE_BYTES;
  }

  #writer(id: string): Promise<PieceWriter> {
    return PieceWriter.open(this.#parts.disk, id, this.#pieceBytes);
  }

  async #begin(row: StoredRow, about: number): Promise<void> {
    await needRoom(about - (this.#stored.get(row.id) ?? 0), this.#parts.device);
    const begun: StoredRow = { ...row, state: 'downloading', problem: '' };
    await this.#put(begun);
    this.#run(begun);
  }

  #run(row: StoredRow): void {
    const abort = new AbortController();
    this.#running.set(row.id, abort);
    void this.#download(row, abort.signal)
      .catch((thrown) => this.#failed(row.id, thrown, abort.signal))
      .finally(() => {
        if (this.#running.get(row.id) === abort) this.#running.delete(row.id);
      });
  }

  async #download(row: StoredRow, signal: AbortSignal): Promise<void> {
    const { fetch: fetchFile } = this.#parts;
    const known = row.bytes > 0 ? row : await this.#learn(row);
    const writer = await this.#writer(row.id);
    signal.throwIfAborted();
    const source = { address: row.address, total: known.bytes, fetch: fetchFile };
    let total = known.bytes;
    await downloadInto(
      writer,
      source,
      (sizes) => {
        this.#stored.set(row.id, sizes.stored);
        if (sizes.total !== total)
          void this.#put({ ...this.#row(row.id), bytes: sizes.total }).catch(() => {});
        total = sizes.total;
        this.tell();
      },
      signal,
    );
    const sha256 = await writer.finish();
    signal.throwIfAborted();
    await this.#put(await this.#finished(this.#row(row.id), writer, sha256));
  }

  async #learn(row: StoredRow): Promise<StoredRow> {
    const { sha256, bytes } = await published(row.address, row.mirror, this.#parts.fetch);
    const known = { ...this.#row(row.id), expected: row.expected || sha256, bytes };
    await this.#put(known);
    return known;
  }

  /** Throws, with the pieces removed, when the file is not what was published, or no GGUF. */
  async #finished(row: StoredRow, writer: PieceWriter, sha256: string): Promise<StoredRow> {
    const { disk } = this.#parts;
    if (row.expected !== '' && row.expected !== sha256) {
      await disk.remove(row.id);
      this.#stored.set(row.id, 0);
      throw new OtherFile('The file is damaged: its SHA-256 is not the published one. It was removed.');
    }
    const first = await disk.read(row.id, pieceName(0));
    const facts = readGguf(
      new Uint8Array(await (first ?? new Blob()).slice(0, GGUF_HEAD_BYTES).arrayBuffer()),
    );
    const last = await disk.read(row.id, pieceName(writer.pieces - 1));
    const bytes = (writer.pieces - 1) * this.#pieceBytes + (last?.size ?? 0);
    this.#stored.set(row.id, bytes);
    const { contextWindow } = facts;
    return {
      ...row,
      state: 'ready',
      problem: '',
      sha256,
      checked: row.expected !== '',
      pieces: writer.pieces,
      bytes,
      contextWindow,
    };
  }

  async #failed(id: string, thrown: unknown, signal: AbortSignal): Promise<void> {
    const row = this.#rows.get(id);
    if (!row || signal.aborted) return;
    const problem = thrown instanceof Error ? thrown.message : 'The download failed.';
    const full = thrown instanceof DOMException && thrown.name === 'QuotaExceededError';
    // A file that is another one now is begun anew; all else goes on from where it was.
    const other = thrown instanceof OtherFile;
    if (other) await this.#parts.disk.remove(id);
    const anew = other ? { bytes: 0, expected: row.given ? row.expected : '' } : {};
    const words = full ? 'There is no room left on this device.' : problem;
    await this.#put({ ...row, ...anew, state: 'failed', problem: words });
  }

  #row(id: string): StoredRow {
    const row = this.#rows.get(id);
    if (!row) throw new Error('There is no such model on this device.');
    return row;
  }

  async #put(row: StoredRow): Promise<void> {
    this.#rows.set(row.id, row);
    this.tell();
    await writeRow(this.#parts.disk, row);
  }

  #freeId(name: string): string {
    return freeId(name, (id) => this.#rows.has(id));
  }

  /** Listeners hear soon that `list` answers otherwise. */
  tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    this.#parts.clock.after(TELL_MS, () => {
      this.#telling = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
