import * as Y from 'yjs';
import { CONTROL_DOC } from '../../state/control.ts';
import { EPOCHS_DOC, IN_CLEAR } from '../../state/seal.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { deferred } from '../../std/deferred.ts';
import type { Random } from '../../std/random.ts';
import type { Documents } from '../documents.ts';
import { EntryCipher } from '../seal/entry-cipher.ts';
import type { Keys } from '../seal/keys.ts';
import { LOGS_DOC, LogPlaces } from '../seal/log-places.ts';
import { OldKeys } from '../seal/old-keys.ts';
import { writerOf } from '../seal/writer.ts';
import type { ExchangeKind } from './doc-exchange.ts';
import type { LogRepairParts } from './log-repair.ts';
import type { SealedSyncParts } from './sealed-sync.ts';

export type SealingParts = {
  keys: Pick<Keys, 'keyring' | 'until'>;
  replicaId: string;
  random: Random;
  clock: Clock;
};

/** A key that another browser has made known is here by then. */
const KEY_MS = 30_000;

/** The documents of a GSV while it is sealed: what it takes to write and read their logs. */
export class Sealing {
  readonly places: LogPlaces;
  /** What the room showed of `control` to a browser that was joining. */
  readonly shown = new Y.Doc();
  readonly #parts: SealingParts;
  readonly #writer: string;
  #oldKeys: () => OldKeys = () => OldKeys.none;
  #joining: () => boolean = () => false;
  readonly #repairs = new Map<string, LogRepairParts['over']>();

  private constructor(places: LogPlaces, parts: SealingParts) {
    this.places = places;
    this.#parts = parts;
    this.#writer = writerOf(parts.replicaId);
  }

  /** Rejects when storage cannot be read. */
  static async open(documents: Documents, parts: SealingParts): Promise<Sealing> {
    return new Sealing(new LogPlaces(await documents.open(LOGS_DOC)), parts);
  }

  /** Who was shut out, and what is sealed anew, is known from now on. */
  follow(tables: Pick<SystemTables, 'shutOut' | 'reseals'>): void {
    let known: OldKeys | null = null;
    const forget = (): void => {
      known = null;
    };
    for (const table of [tables.shutOut, tables.reseals]) table.observe(forget);
    this.#oldKeys = () => {
      known ??= OldKeys.of(tables);
      return known;
    };
  }

  /** While this holds, what the room shows of `control` is not taken for true: in a sealed GSV it is known by its log. */
  asideWhile(joining: () => boolean): void {
    this.#joining = joining;
  }

  /** Whether a document is a log that the room cannot read. */
  seals(name: string): boolean {
    return name !== EPOCHS_DOC && this.#parts.keys.keyring !== null;
  }

  /** How a document is exchanged now. */
  kindOf(name: string): ExchangeKind {
    if (!this.seals(name)) return this.takingOf(name) ? 'aside' : 'clear';
    if (this.#repairs.has(name)) return 'repair';
    return IN_CLEAR.has(name) ? 'published' : 'sealed';
  }

  /** What takes in what the room shows of a document in its place; undefined when that is taken for true. */
  takingOf(name: string): Y.Doc | undefined {
    return name === CONTROL_DOC && this.#joining() ? this.shown : undefined;
  }

  /** From now on a document's next exchange puts its log right. Resolves when that has been done; rejects with why not. */
  repaired(name: string): Promise<void> {
    const { promise, resolve, reject } = deferred<void>();
    this.#repairs.set(name, (failure) => {
      this.#repairs.delete(name);
      if (failure) reject(failure);
      else resolve();
    });
    return promise;
  }

  repairOf(name: string): LogRepairParts['over'] | undefined {
    return this.#repairs.get(name);
  }

  /** Null while nothing is sealed, and for the one document that never is. */
  of(name: string): Omit<SealedSyncParts, 'unconfirmed'> | null {
    const { keys, random } = this.#parts;
    const { keyring } = keys;
    if (!keyring || !this.seals(name)) return null;
    // What is sealed later is sealed by the newest key of then.
    const cipher = new EntryCipher(() => keys.keyring ?? keyring, name, random);
    const known = (epoch: number): Promise<void> => this.#known(epoch);
    const oldKeys = (): OldKeys => this.#oldKeys();
    return { cipher, known, oldKeys, writer: this.#writer, places: this.places };
  }

  async #known(epoch: number): Promise<void> {
    const { keys, clock } = this.#parts;
    if ((keys.keyring?.epoch ?? 0) >= epoch) return;
    const late = new AbortController();
    const cancel = clock.after(KEY_MS, () => late.abort());
    await keys.until(epoch, late.signal).catch(() => {});
    cancel();
  }
}
