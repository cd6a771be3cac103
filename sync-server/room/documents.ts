import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import { CONTROL_DOC, SEAL } from '../../shared/state/control.ts';
import { controlMoves, onMovable } from '../../shared/state/control-moves.ts';
import { EPOCHS_DOC, IN_CLEAR } from '../../shared/state/seal.ts';
import { FS_DOC, SYSTEM_DOC } from '../../shared/state/system.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { Control } from './control.ts';
import { RoomDocument } from './document.ts';
import { SealedLog } from './sealed-log.ts';
import type { RoomStorage } from './storage.ts';

/** Names that every storage can keep as they are. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9:._/-]{0,199}$/;
/** A document that nobody uses stays in memory for this long: whoever lost a connection comes back for it. */
export const IDLE_MS = 30_000;
const REMOVED = 'This document was removed';
const SEALED = 'This GSV is sealed: its server takes nothing in the clear';
/** These are never removed. */
const LASTING: ReadonlySet<string> = new Set([CONTROL_DOC, EPOCHS_DOC, SYSTEM_DOC, FS_DOC]);

/** The room reads them itself. */
const ALWAYS: ReadonlySet<string> = new Set([CONTROL_DOC, SYSTEM_DOC]);

/** Sealed logs are stored under names that no document has. */
const LOG_PREFIX = '.';

/** A document in use; it stays in memory until every use of it is released. */
export type Use<Kept> = {
  /** Rejects when the document cannot be read. */
  readonly document: Promise<Kept>;
  release(): void;
};

/** What is kept of a document: its state, or the log of a sealed one. */
type Stored = Pick<RoomDocument, 'name' | 'busy' | 'hold' | 'end' | 'drop'>;

type Entry<Kept extends Stored = Stored> = {
  readonly document: Promise<Kept>;
  loaded: Kept | null;
  users: number;
  cancelDrop: () => void;
};

export type DocumentsParts = { storage: RoomStorage; clock: Clock; onControlChange(): void };

/** What the room itself reads; always in memory. */
type Read = { control: RoomDocument; system: RoomDocument };

/** The room's documents, in memory while they are used; those that it reads itself always are. */
export class Documents {
  readonly #parts: DocumentsParts;
  readonly #open = new Map<string, Entry<RoomDocument>>();
  readonly #logs = new Map<string, Entry<SealedLog>>();
  #control: Control;
  /** Documents are read after the removal that was asked for before. Never rejects. */
  #removing: Promise<void> = Promise.resolve();

  private constructor(parts: DocumentsParts, read: Read) {
    this.#parts = parts;
    this.#control = this.#adopt(read);
  }

  static async load(parts: DocumentsParts): Promise<Documents> {
    return new Documents(parts, await readOf(parts.storage));
  }

  get control(): Control {
    return this.#control;
  }

  /** How many documents are in memory. */
  get size(): number {
    return this.#open.size + this.#logs.size;
  }

  /** Whether nothing but what the room reads, and boxes of keys, may come here in the clear. */
  get sealed(): boolean {
    return this.#control.tables.seal.get(SEAL) !== undefined;
  }

  /** Throws 400 on a name that is none, 409 when the document may not come in the clear. */
  open(name: string): Use<RoomDocument> {
    checkDocument(name);
    if (this.sealed && !IN_CLEAR.has(name)) throw new SyscallError(409, SEALED);
    return this.#use(this.#open, name, () => RoomDocument.load(this.#parts.storage, name));
  }

  /** As `open`, of the log of a sealed document. */
  openLog(name: string): Use<SealedLog> {
    checkDocument(name);
    const stored = LOG_PREFIX + name;
    return this.#use(this.#logs, stored, () => SealedLog.load(this.#parts.storage, stored));
  }

  /** Removes what is stored of documents, all or none; whoever has one open is told. Resolves with how many there were. */
  remove(names: readonly string[]): Promise<number> {
    for (const name of names) {
      checkDocument(name);
      if (LASTING.has(name)) throw new SyscallError(400, `The document "${name}" cannot be removed`);
    }
    return this.#removeAll([...new Set(names.flatMap((name) => [name, LOG_PREFIX + name]))]);
  }

  /**
   * Removes all that is stored in the clear and may not be. Resolves with how many documents that were.
   * Rejects with 409 unless the GSV is sealed.
   */
  async clear(): Promise<number> {
    if (!this.sealed) throw new SyscallError(409, 'This GSV is not sealed');
    const stored = await this.#parts.storage.documents();
    const readable = stored.filter((name) => !IN_CLEAR.has(name) && !name.startsWith(LOG_PREFIX));
    const removed = await this.#removeAll(readable);
    await this.#parts.storage.scrub();
    return removed;
  }

  #removeAll(each: readonly string[]): Promise<number> {
    const entries = each.flatMap((name): Entry[] => {
      const entry = this.#open.get(name) ?? this.#logs.get(name);
      return entry ? [entry] : [];
    });
    const removed = this.#removing.then(() => this.#remove(each, entries));
    this.#removing = removed.then(
      () => {},
      () => {},
    );
    return removed;
  }

  /** The storage has been emptied. No channel may be open. */
  async reset(): Promise<void> {
    for (const kept of [this.#open, this.#logs]) {
      for (const { cancelDrop } of kept.values()) cancelDrop();
      kept.clear();
    }
    this.#control = this.#adopt(await readOf(this.#parts.storage));
    this.#parts.onControlChange();
  }

  async #remove(names: readonly string[], entries: readonly Entry[]): Promise<number> {
    const loads = await Promise.allSettled(entries.map(({ document }) => document));
    const documents = loads.flatMap((load) => (load.status === 'fulfilled' ? [load.value] : []));
    const resume = await Promise.all(documents.map((document) => document.hold()));
    try {
      const removed = await this.#parts.storage.removeDocuments(names);
      for (const document of documents) {
        this.#forget(document);
        document.end(REMOVED);
      }
      return removed;
    } finally {
      for (const go of resume) go();
    }
  }

  #use<Kept extends Stored>(
    kept: Map<string, Entry<Kept>>,
    name: string,
    load: () => Promise<Kept>,
  ): Use<Kept> {
    const entry = kept.get(name) ?? this.#read(kept, name, load);
    entry.users += 1;
    entry.cancelDrop();
    let used = true;
    const release = (): void => {
      if (used) this.#released(kept, name, entry);
      used = false;
    };
    return { document: entry.document, release };
  }

  #read<Kept extends Stored>(
    kept: Map<string, Entry<Kept>>,
    name: string,
    load: () => Promise<Kept>,
  ): Entry<Kept> {
    const document = this.#removing.then(load);
    const entry: Entry<Kept> = { document, loaded: null, users: 0, cancelDrop: () => {} };
    kept.set(name, entry);
    document.then(
      (loaded) => {
        entry.loaded = loaded;
      },
      () => kept.get(name) === entry && kept.delete(name),
    );
    return entry;
  }

  #released<Kept extends Stored>(kept: Map<string, Entry<Kept>>, name: string, entry: Entry<Kept>): void {
    entry.users -= 1;
    if (entry.users === 0 && !ALWAYS.has(name)) this.#dropLater(kept, name, entry);
  }

  #dropLater<Kept extends Stored>(kept: Map<string, Entry<Kept>>, name: string, entry: Entry<Kept>): void {
    entry.cancelDrop = this.#parts.clock.after(IDLE_MS, () => {
      if (kept.get(name) !== entry) return;
      if (entry.loaded?.busy) return this.#dropLater(kept, name, entry);
      kept.delete(name);
      entry.loaded?.drop();
    });
  }

  #controlChanged(): void {
    if (this.sealed) this.#endInClear();
    this.#parts.onControlChange();
  }

  /** What browsers have not told by now they tell sealed. */
  #endInClear(): void {
    for (const [name, { document, cancelDrop }] of [...this.#open]) {
      if (IN_CLEAR.has(name)) continue;
      cancelDrop();
      this.#open.delete(name);
      void document.then(
        (loaded) => loaded.end(SEALED),
        () => {},
      );
    }
  }

  /** What was opened of the same name since is another document. */
  #forget(document: Stored): void {
    for (const kept of [this.#open, this.#logs]) {
      const entry = kept.get(document.name);
      if (entry?.loaded !== document) continue;
      entry.cancelDrop();
      kept.delete(document.name);
    }
  }

  #adopt({ control, system }: Read): Control {
    for (const read of [control, system])
      this.#open.set(read.name, {
        document: Promise.resolve(read),
        loaded: read,
        users: 0,
        cancelDrop: () => {},
      });
    control.listen({ changed: () => this.#controlChanged() });
    onMovable(system.doc, () => void moveToControl({ control, system }));
    return new Control(control.doc);
  }
}

/** Rejects when they cannot be read. */
async function readOf(storage: RoomStorage): Promise<Read> {
  const [control, system] = await Promise.all([
    RoomDocument.load(storage, CONTROL_DOC),
    RoomDocument.load(storage, SYSTEM_DOC),
  ]);
  await moveToControl({ control, system });
  return { control, system };
}

/** A room that an older version filled lets its people in before one of their browsers has moved the rows. */
async function moveToControl({ control, system }: Read): Promise<void> {
  const moves = controlMoves(system.doc, control.doc);
  if (!moves) return;
  await control.store(moves, null, true).catch((thrown) => {
    console.error(`room: what an older version stored could not be moved: ${messageOf(thrown)}`);
  });
}

function checkDocument(name: string): void {
  if (!NAME.test(name)) throw new SyscallError(400, `Not a document name: ${name}`);
}
