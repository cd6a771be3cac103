import { SEAL } from '../../state/control.ts';
import type { ResealRow } from '../../state/seal.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Documents } from '../documents.ts';
import { sealedDocuments } from '../seal/all-documents.ts';
import type { Keyring } from '../seal/keyring.ts';
import type { Keys } from '../seal/keys.ts';
import type { BlobSync } from './blob-sync.ts';
import type { Replication } from './replication.ts';

/** How far it is, is noted after so many documents. */
const NOTE_AFTER = 20;
/** The room has one document by then, or cannot be reached. */
const DOCUMENT_MS = 60_000;
const RETRY_MS = 30_000;

export type ResealerParts = {
  tables: Pick<SystemTables, 'reseals' | 'seal'>;
  keys: Keys;
  documents: Documents;
  replication: Pick<Replication, 'joined' | 'connected' | 'resealed' | 'stored'>;
  blobs: Pick<BlobSync, 'reseal'>;
  /** This replica's id. */
  self: string;
  /** Has the room remove what it stores in the clear. Rejects when it cannot be reached. */
  clearRoom(): Promise<void>;
  /** How many contents files refer to. */
  contents(): number;
  clock: Clock;
  /** Does something that one replica at a time may do; false when it could not be done now. */
  during(work: () => Promise<void>): Promise<boolean>;
  flush(): Promise<void>;
};

/**
 * After a new key, has the room hold everything under that one alone: whoever was shut out, and has the older keys, can
 * read nothing of what the room holds then. One replica at a time does it, document by document; another goes on where
 * it was.
 */
export class Resealer {
  readonly #parts: ResealerParts;
  readonly #stopped = new AbortController();
  #going = false;
  #cancelRetry: () => void = () => {};
  #stopFollowing: () => void = () => {};

  constructor(parts: ResealerParts) {
    this.#parts = parts;
  }

  start(): void {
    const { keys, tables } = this.#parts;
    const stops = [keys.onChange(() => this.look()), tables.seal.observe(() => this.look())];
    this.#stopFollowing = () => stops.map((stop) => stop());
    this.look();
  }

  stop(): void {
    this.#stopped.abort();
    this.#cancelRetry();
    this.#stopFollowing();
  }

  /** How far it is; null when nothing is to be done. */
  get progress(): { done: number; total: number } | null {
    const { tables, keys } = this.#parts;
    const row = tables.reseals.get(String(keys.keyring?.epoch ?? 0));
    return row && row.endedAt === null ? { done: row.done, total: row.total } : null;
  }

  /** Something may be to be done: there is a new key, or the room is there. */
  look(): void {
    if (!this.#going && this.#isDue()) void this.#run();
  }

  #isDue(): boolean {
    const { tables, keys, replication } = this.#parts;
    const { epoch = 0 } = keys.keyring ?? {};
    const isOver = (tables.reseals.get(String(epoch))?.endedAt ?? null) !== null;
    const isNeeded = this.#isMoving || (epoch > 1 && !isOver);
    return epoch > 0 && isNeeded && replication.joined && replication.connected;
  }

  /** Whether the room has what it could read before the GSV was sealed, of which this replica has everything. */
  get #isMoving(): boolean {
    const { tables, self } = this.#parts;
    return tables.seal.get(SEAL)?.moving === self;
  }

  async #run(): Promise<void> {
    this.#going = true;
    this.#cancelRetry();
    const done = await this.#parts
      .during(() => this.#reseal())
      .catch((thrown) => {
        if (this.#parts.replication.connected)
          console.error('What there was could not be sealed anew yet', thrown);
        return false;
      });
    this.#going = false;
    if (this.#stopped.signal.aborted) return;
    // Another key may have come meanwhile.
    if (done) this.look();
    else this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.look());
  }

  async #reseal(): Promise<void> {
    const { keys, documents, tables, contents, clock } = this.#parts;
    const { keyring } = keys;
    if (!keyring) return;
    const { epoch } = keyring;
    const names = await sealedDocuments(documents);
    const { upTo } = tables.reseals.get(String(epoch)) ?? { upTo: '' };
    const total = names.length + contents();
    let done = names.filter((name) => name <= upTo).length;
    await this.#note({ epoch, done, total, upTo, endedAt: null });
    for (const name of names.slice(done)) {
      if (this.#stopped.signal.aborted || keys.keyring?.epoch !== epoch) return;
      await this.#one(name);
      done += 1;
      if (done % NOTE_AFTER === 0) await this.#note({ epoch, done, total, upTo: name, endedAt: null });
    }
    const last = { epoch, total, upTo: names.at(-1) ?? '' };
    await this.#contents(keyring, (count) => this.#put({ ...last, done: done + count, endedAt: null }));
    if (this.#isMoving) await this.#removeReadable(names);
    await this.#note({ ...last, done: total, endedAt: clock.now() });
  }

  /** Only when the room has all of it in a form that it cannot read. */
  async #removeReadable(names: readonly string[]): Promise<void> {
    const { tables, replication, clearRoom, flush } = this.#parts;
    await replication.stored(names, this.#stopped.signal);
    await clearRoom();
    const row = tables.seal.get(SEAL);
    if (row) tables.seal.put(SEAL, { gsvId: row.gsvId, since: row.since });
    await flush();
  }

  /** They say themselves under which key they are: broken off, it is begun again and passes over what is done. */
  #contents(keyring: Keyring, onProgress: (done: number) => void): Promise<void> {
    return this.#parts.blobs.reseal({
      keyring,
      onProgress,
      fromClear: this.#isMoving,
      signal: this.#stopped.signal,
    });
  }

  async #one(name: string): Promise<void> {
    const { documents, replication, clock } = this.#parts;
    const late = new AbortController();
    const cancel = clock.after(DOCUMENT_MS, () => late.abort());
    await documents.open(name);
    try {
      await replication.resealed(name, AbortSignal.any([late.signal, this.#stopped.signal]));
    } finally {
      cancel();
      await documents.close(name);
    }
  }

  async #note(row: ResealRow): Promise<void> {
    this.#put(row);
    await this.#parts.flush();
  }

  /** Of earlier keys nothing is to be known any more. */
  #put(row: ResealRow): void {
    const { tables } = this.#parts;
    for (const key of tables.reseals.keys()) if (key !== String(row.epoch)) tables.reseals.delete(key);
    tables.reseals.put(String(row.epoch), row);
  }
}
