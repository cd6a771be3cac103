import { SyscallError } from '../../shared/protocol/errors.ts';
import { SYSTEM_DOC } from '../../shared/state/system.ts';
import { Control } from './control.ts';
import { RoomDocument } from './document.ts';
import type { RoomStorage } from './storage.ts';

/** Names that every storage can keep as they are. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9:._/-]{0,199}$/;

/** The room's documents, opened when they are first asked for, and the control tables among them. */
export class Documents {
  readonly #storage: RoomStorage;
  readonly #onSystemChange: () => void;
  readonly #open = new Map<string, Promise<RoomDocument>>();
  #control: Control;

  private constructor(storage: RoomStorage, system: RoomDocument, onSystemChange: () => void) {
    this.#storage = storage;
    this.#onSystemChange = onSystemChange;
    this.#control = this.#adopt(system);
  }

  static async load(storage: RoomStorage, onSystemChange: () => void): Promise<Documents> {
    return new Documents(storage, await RoomDocument.load(storage, SYSTEM_DOC), onSystemChange);
  }

  get control(): Control {
    return this.#control;
  }

  /** Throws 400 on a name that is none. The promise rejects when the document cannot be read. */
  open(name: string): Promise<RoomDocument> {
    if (!NAME.test(name)) throw new SyscallError(400, `Not a document name: ${name}`);
    const known = this.#open.get(name);
    if (known) return known;
    const opened = RoomDocument.load(this.#storage, name);
    this.#open.set(name, opened);
    opened.catch(() => this.#open.delete(name));
    return opened;
  }

  /** Removes everything stored. No channel may be open. */
  async clear(): Promise<void> {
    await this.#storage.removeDocuments();
    this.#open.clear();
    this.#control = this.#adopt(await RoomDocument.load(this.#storage, SYSTEM_DOC));
  }

  #adopt(system: RoomDocument): Control {
    this.#open.set(SYSTEM_DOC, Promise.resolve(system));
    system.listen({ changed: this.#onSystemChange });
    return new Control(system.doc);
  }
}
