import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { JournalFile } from './journal-file.ts';
import type { JournalRecord, JournalStore, Place } from './journal-store.ts';
import { storable } from './storable.ts';

export type JournalLimits = { entries: number; ageMs: number; bytes: number };

export const journalLimits: JournalLimits = {
  entries: 10_000,
  ageMs: 24 * 60 * 60_000,
  bytes: 128 * 1024 * 1024,
};

/** The one answer that is neither yes nor no. */
export const INTERRUPTED =
  'interrupted: the driver was restarted while this ran; whether it took effect is not known';

const UNREADABLE = 'It ran before and does not run again, but what it answered can no longer be read';

/** Where the last record of a key is in the file, and what it says. */
type Known = Pick<JournalRecord, 'call' | 'time' | 'state'> & Place;

/**
 * Makes a call with a key happen at most once, also across a death of this program at any instant: that a call
 * started is on disk before it runs. A repeated key is answered from what is known.
 */
export class Journal {
  readonly #store: JournalStore;
  readonly #clock: Clock;
  readonly #limits: JournalLimits;
  readonly #known = new Map<string, Known>();
  readonly #running = new Map<string, { call: string; answer: Promise<unknown> }>();

  private constructor(store: JournalStore, clock: Clock, limits: JournalLimits) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Opens or creates the journal in a directory. Rejects when that cannot be written. */
  static async open(directory: string, clock: Clock, limits = journalLimits): Promise<Journal> {
    return Journal.over(await JournalFile.open(directory), clock, limits);
  }

  /** Opens what a store holds. Rejects when it cannot be read. */
  static async over(store: JournalStore, clock: Clock, limits = journalLimits): Promise<Journal> {
    const journal = new Journal(store, clock, limits);
    await journal.#store.scan((record, place) => journal.#learn(record, place));
    await journal.#compact();
    return journal;
  }

  /**
   * Runs the call unless its key was seen before; then answers as the first time. A rejection of `run` means that
   * nothing happened: its key is forgotten. Rejects with 400 when the key belongs to another call.
   */
  async once(key: string, call: string, run: () => Promise<unknown>): Promise<unknown> {
    const running = this.#running.get(key);
    const known = running ?? this.#known.get(key);
    if (known && known.call !== call)
      throw new SyscallError(400, `The key belongs to an earlier ${known.call}`);
    if (running) return running.answer;
    const stored = this.#known.get(key);
    if (stored) return this.#replay(stored);
    const answer = this.#run(key, call, run);
    this.#running.set(key, { call, answer });
    try {
      return await answer;
    } finally {
      this.#running.delete(key);
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #replay(known: Known): Promise<unknown> {
    if (known.state === 'started') return { ok: false, error: INTERRUPTED };
    const record = await this.#store.read(known);
    return record ? record.result : { ok: false, error: UNREADABLE };
  }

  async #run(key: string, call: string, run: () => Promise<unknown>): Promise<unknown> {
    await this.#append({ key, call, time: this.#clock.now(), state: 'started' }, 'durable');
    let result: unknown;
    try {
      result = await run();
    } catch (thrown) {
      await this.#append({ key, call, time: this.#clock.now(), state: 'void' }, 'written');
      throw thrown;
    }
    const record = { key, call, time: this.#clock.now(), state: 'done' as const, result: storable(result) };
    // It has happened, so its answer counts even if the disk cannot keep it.
    await this.#append(record, 'written').catch(() => {});
    return result;
  }

  async #append(record: JournalRecord, how: 'durable' | 'written'): Promise<void> {
    await this.#store.append(record, how, (place) => this.#learn(record, place));
    if (this.#known.size > this.#limits.entries * 1.1 || this.#store.size > this.#limits.bytes)
      // A disk that is too full for a shorter journal has the longer one still.
      await this.#compact().catch(() => {});
  }

  #learn({ key, call, time, state }: JournalRecord, place: Place): void {
    // Taken out first, so that the map's order is the order of what happened last.
    this.#known.delete(key);
    if (state !== 'void') this.#known.set(key, { call, time, state, ...place });
  }

  /** Drops what is too old or too much, oldest first, and rewrites the file without it. */
  async #compact(): Promise<void> {
    const oldest = this.#clock.now() - this.#limits.ageMs;
    let bytes = [...this.#known.values()].reduce((total, { length }) => total + length, 0);
    for (const [key, known] of this.#known) {
      const crowded = this.#known.size > this.#limits.entries || bytes > this.#limits.bytes / 2;
      if (!crowded && known.time >= oldest) break;
      if (this.#running.has(key)) continue;
      this.#known.delete(key);
      bytes -= known.length;
    }
    await this.#store.rewrite(this.#known.values());
  }
}
