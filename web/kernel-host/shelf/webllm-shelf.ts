import type { CatalogueModel } from '../../../shared/kernel/local/catalogue.ts';
import { hubPlace, type WebllmPlace, webllmPlace } from '../../../shared/kernel/local/hub.ts';
import type { ShelvedModel } from '../../../shared/kernel/local/local-models.ts';
import type { DeviceFacts, StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import { messageOf } from '../../../shared/protocol/errors.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import type { ModelDisk } from './model-disk.ts';
import { needRoom } from './need-room.ts';
import { publishedFiles } from './published.ts';
import { freeId, readRow, type StoredRow, shownOf, writeRow } from './stored-row.ts';
import { fetchWebllm, forgetWebllm, type Hashes, stillWhole, type WebllmParts } from './webllm-files.ts';

export type WebllmShelfParts = WebllmParts & {
  disk: ModelDisk;
  device(): Promise<DeviceFacts>;
  /** `list` would answer otherwise. */
  changed(): void;
};

type Entry = {
  row: StoredRow;
  stored: number;
  going: AbortController | null;
  /** Its files were compared with their hashes since this kernel began. */
  checked: Promise<boolean> | null;
};

/** A window larger than this costs memory that phones do not have. */
const MOST_WINDOW = 4_096;
const CHANGED = 'Files of the model have changed on this disk, or are gone. “Try again” brings them anew.';

/**
 * The models of WebLLM: their files lie in its own caches, what is known of them beside those. Where the hub publishes
 * a file's SHA-256 it is checked against that; of every file it is noted, and checked before a kernel first loads it.
 */
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
    return [...this.#entries.values()].map(({ row, stored }) => shownOf(row, stored));
  }

  /**
   * `files`: where its weights and its program were; the engine finds both in its caches by that. Rejects with a sentence
   * when they are not what they were.
   */
  async find(id: string): Promise<ShelvedModel | undefined> {
    await this.#opened;
    const entry = this.#entries.get(id);
    if (entry?.row.state !== 'ready') return undefined;
    entry.checked ??= stillWhole(entry.row.hashes ?? {}, this.#parts.caches);
    if (!(await entry.checked)) {
      await this.#put(entry, { state: 'failed', problem: CHANGED });
      throw new Error(CHANGED);
    }
    const { weights, program } = placeOf(entry.row);
    const { name, contextWindow, callsTools } = entry.row;
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
    const { id, name, bytes, contextWindow, callsTools } = model;
    const about = { id, name, bytes, contextWindow, callsTools, address: model.source.modelId, mirror };
    const entry = this.#entries.get(id) ?? newEntry(about);
    await needRoom(bytes - entry.stored, this.#parts.device);
    this.#entries.set(id, entry);
    await this.#begin(entry, { mirror });
  }

  /** As `download`, of a model that lies anywhere. Resolves to its id. */
  async add({ weights, program }: WebllmPlace, callsTools: boolean, mirror: string): Promise<string> {
    await this.#opened;
    const folders = (hubPlace(`${weights}x`, mirror)?.repository ?? new URL(weights).pathname).split('/');
    const name = decodeURIComponent(folders.filter((part) => part !== '').at(-1) ?? 'model');
    const id = freeId(`web-${name}`, (taken) => this.#entries.has(taken));
    const about = { id, name, bytes: 0, contextWindow: MOST_WINDOW, callsTools };
    const entry = newEntry({ ...about, address: weights, program, mirror });
    this.#entries.set(id, entry);
    await this.#begin(entry, {});
    return id;
  }

  async resume(id: string): Promise<void> {
    await this.#opened;
    const entry = this.#entries.get(id);
    if (entry) await this.#begin(entry, {});
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
      const entry: Entry = {
        row,
        stored: row.state === 'ready' ? row.bytes : 0,
        going: null,
        checked: null,
      };
      this.#entries.set(row.id, entry);
      // A kernel that ended left it in the middle.
      if (row.state === 'downloading') void this.#run(entry);
    }
  }

  async #begin(entry: Entry, changes: Partial<StoredRow>): Promise<void> {
    if (entry.going || entry.row.state === 'ready') return;
    await this.#put(entry, { ...changes, state: 'downloading', problem: '' });
    void this.#run(entry);
  }

  /** Never rejects. */
  async #run(entry: Entry): Promise<void> {
    const going = new AbortController();
    entry.going = going;
    try {
      await this.#put(entry, await this.#fetch(entry, going.signal));
    } catch (thrown) {
      if (!going.signal.aborted)
        await this.#put(entry, { state: 'failed', problem: wordsOf(thrown) }).catch(() => {});
    } finally {
      if (entry.going === going) entry.going = null;
    }
  }

  /** Resolves to what is known of the model once it is whole. */
  async #fetch(entry: Entry, signal: AbortSignal): Promise<Partial<StoredRow>> {
    const published = await this.#published(entry.row);
    const noted: Record<string, string> = { ...entry.row.hashes };
    const { contextWindow } = await fetchWebllm(placeOf(entry.row), this.#parts, {
      signal,
      expected: { ...noted, ...published },
      onFile: (address, sha256) => {
        noted[address] = sha256;
        entry.row = { ...entry.row, hashes: { ...noted } };
      },
      onTotal: (total) => needRoom(total - entry.stored, this.#parts.device),
      onBytes: (stored, total) => {
        entry.stored = stored;
        entry.row = { ...entry.row, bytes: total };
        this.#parts.changed();
      },
    });
    signal.throwIfAborted();
    entry.checked = Promise.resolve(true);
    const window =
      contextWindow > 0 ? Math.min(contextWindow, entry.row.contextWindow) : entry.row.contextWindow;
    const known = {
      hashes: noted,
      sha256: await fingerprint(noted),
      checked: areAllPublished(noted, published),
    };
    return { ...known, state: 'ready', problem: '', contextWindow: window };
  }

  async #published({ address, mirror, program }: StoredRow): Promise<Hashes> {
    const { weights } = placeOf({ address, mirror, program });
    const place = hubPlace(`${weights}x`, mirror);
    if (!place) return {};
    const files = await publishedFiles(place.repository, mirror, this.#parts.fetch);
    const known = [...files].filter(([, { sha256 }]) => sha256 !== '');
    return Object.fromEntries(known.map(([path, { sha256 }]) => [new URL(path, weights).href, sha256]));
  }

  async #put(entry: Entry, changes: Partial<StoredRow>): Promise<void> {
    entry.row = { ...entry.row, ...changes };
    this.#parts.changed();
    await writeRow(this.#parts.disk, entry.row);
  }
}

type About = Pick<
  StoredRow,
  'id' | 'name' | 'address' | 'mirror' | 'bytes' | 'contextWindow' | 'callsTools' | 'program'
>;

function newEntry(about: About): Entry {
  const file = { expected: '', given: false, sha256: '', checked: false, pieces: 0 };
  const state = { state: 'downloading' as const, problem: '', tokensPerSecond: 0 };
  return { row: { ...about, engine: 'webllm', ...file, ...state }, stored: 0, going: null, checked: null };
}

/** The row of a proposed model keeps WebLLM's name of it as its address. */
function placeOf({
  address,
  mirror,
  program,
}: Pick<StoredRow, 'address' | 'mirror' | 'program'>): WebllmPlace {
  return program === undefined ? webllmPlace(address, mirror) : { weights: address, program };
}

/** Weights are large files, of which the hub always publishes hashes; small ones it keeps otherwise. */
function areAllPublished(noted: Hashes, published: Hashes): boolean {
  const weights = Object.keys(noted).filter((address) => address.endsWith('.bin'));
  return weights.length > 0 && weights.every((address) => published[address] !== undefined);
}

/** One hash for all files of a model. */
function fingerprint(hashes: Hashes): Promise<string> {
  const lines = Object.entries(hashes).map(([address, sha256]) => `${sha256}  ${address}\n`);
  return sha256Hex(new TextEncoder().encode(lines.sort().join('')));
}

function wordsOf(thrown: unknown): string {
  const full = thrown instanceof DOMException && thrown.name === 'QuotaExceededError';
  return full ? 'There is no room left on this device.' : messageOf(thrown);
}
