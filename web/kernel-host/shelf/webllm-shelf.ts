import { type CatalogueModel, webllmPlace } from '../../../shared/kernel/local/catalogue.ts';
import type { ShelvedModel } from '../../../shared/kernel/local/local-models.ts';
import type { DeviceFacts, StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import { messageOf } from '../../../shared/protocol/errors.ts';
import type { ModelDisk } from './model-disk.ts';
import { needRoom } from './need-room.ts';
import { readRow, type StoredRow, writeRow } from './stored-row.ts';
import { fetchWebllm, forgetWebllm, type WebllmParts, type WebllmPlace } from './webllm-files.ts';

export type WebllmShelfParts = WebllmParts & {
  disk: ModelDisk;
  device(): Promise<DeviceFacts>;
  /** `list` would answer otherwise. */
  changed(): void;
};

type Entry = { row: StoredRow; stored: number; going: AbortController | null };

/** The models of WebLLM: their files lie in its own caches, what is known of them beside those. */
export class WebllmShelf {
  readonly #parts: WebllmShelfParts;
  readonly #entries = new Map<string, Entry>();
  readonly #opened: Promise<void>;

  constructor(parts: WebllmShelfParts) {
    this.#parts = parts;
    this.#opened = this.#open();
    this.#opened.catch(() => {});
  }

  async has(id: string): Promise<boolean> {
    await this.#opened;
    return this.#entries.has(id);
  }

  async list(): Promise<StoredModel[]> {
    await this.#opened;
    return [...this.#entries.values()].map(({ row, stored }) => {
      const { expected: _, given: __, mirror: ___, pieces: ____, ...shown } = row;
      return { ...shown, storedBytes: stored };
    });
  }

  /** `files`: where its weights and its program were; the engine finds both in its caches by that. */
  async find(id: string): Promise<ShelvedModel | undefined> {
    await this.#opened;
    const row = this.#entries.get(id)?.row;
    if (row?.state !== 'ready') return undefined;
    const { weights, program } = placeOf(row);
    const { name, contextWindow, callsTools } = row;
    return { name, files: [weights, program], contextWindow, callsTools };
  }

  async measured(id: string, tokensPerSecond: number): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) await this.#put(entry, { tokensPerSecond: Math.round(tokensPerSecond * 10) / 10 });
  }

  /** Begins a download, or goes on with one. Rejects with a sentence when there is too little room. */
  async download(model: CatalogueModel, mirror: string): Promise<void> {
    await this.#opened;
    if (model.source.kind !== 'webllm') throw new Error('This is no model of WebLLM.');
    const entry = this.#entries.get(model.id) ?? {
      row: rowOf(model, model.source.modelId, mirror),
      stored: 0,
      going: null,
    };
    await needRoom(model.bytes - entry.stored, this.#parts.device);
    this.#entries.set(model.id, entry);
    if (entry.going || entry.row.state === 'ready') return;
    await this.#put(entry, { mirror, state: 'downloading', problem: '' });
    void this.#run(entry);
  }

  async pause(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    entry?.going?.abort();
    if (entry?.row.state === 'downloading') await this.#put(entry, { state: 'paused' });
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.going?.abort();
    this.#entries.delete(id);
    await forgetWebllm(placeOf(entry.row), this.#parts.caches);
    await this.#parts.disk.remove(id);
    this.#parts.changed();
  }

  async #open(): Promise<void> {
    const { disk } = this.#parts;
    for (const directory of await disk.directories()) {
      const row = await readRow(disk, directory);
      if (!row) continue;
      const entry: Entry = { row, stored: row.state === 'ready' ? row.bytes : 0, going: null };
      this.#entries.set(row.id, entry);
      // A kernel that ended left it in the middle.
      if (row.state === 'downloading') void this.#run(entry);
    }
  }

  /** Never rejects. */
  async #run(entry: Entry): Promise<void> {
    const going = new AbortController();
    entry.going = going;
    const onBytes = (stored: number, total: number): void => {
      entry.stored = stored;
      entry.row = { ...entry.row, bytes: total };
      this.#parts.changed();
    };
    try {
      await fetchWebllm(placeOf(entry.row), this.#parts, onBytes, going.signal);
      going.signal.throwIfAborted();
      await this.#put(entry, { state: 'ready', checked: false, problem: '' });
    } catch (thrown) {
      if (!going.signal.aborted)
        await this.#put(entry, { state: 'failed', problem: wordsOf(thrown) }).catch(() => {});
    } finally {
      if (entry.going === going) entry.going = null;
    }
  }

  async #put(entry: Entry, changes: Partial<StoredRow>): Promise<void> {
    entry.row = { ...entry.row, ...changes };
    this.#parts.changed();
    await writeRow(this.#parts.disk, entry.row);
  }
}

function rowOf(
  { id, name, bytes, contextWindow, callsTools }: CatalogueModel,
  modelId: string,
  mirror: string,
): StoredRow {
  const about = {
    id,
    name,
    engine: 'webllm' as const,
    address: modelId,
    mirror,
    bytes,
    contextWindow,
    callsTools,
  };
  const file = { expected: '', given: false, sha256: '', checked: false, pieces: 0 };
  return { ...about, ...file, state: 'downloading', problem: '', tokensPerSecond: 0 };
}

/** The row keeps WebLLM's name of it as its address. */
function placeOf({ address, mirror }: StoredRow): WebllmPlace {
  return webllmPlace(address, mirror);
}

function wordsOf(thrown: unknown): string {
  const full = thrown instanceof DOMException && thrown.name === 'QuotaExceededError';
  return full ? 'There is no room left on this device.' : messageOf(thrown);
}
