import * as Y from 'yjs';
import { Documents, type Replicator } from '../../shared/kernel/documents.ts';
import { MemoryDisk } from './memory-storage.ts';

const FROM_HUB = Symbol('hub');

/** What the documents of several replicas are kept alike by, as a room does, at once and without a wire. */
export class Hub {
  readonly docs = new Map<string, Y.Doc>();
  readonly #replicas = new Set<LinkedReplica>();

  /** A replica with a disk of its own, joined. */
  replica(index: number, disk = new MemoryDisk()): LinkedReplica {
    const replica = new LinkedReplica(this, { id: `replica-${index}`, index }, disk);
    this.#replicas.add(replica);
    return replica;
  }

  take(from: LinkedReplica, name: string, doc: Y.Doc): void {
    const hub = this.docs.get(name) ?? new Y.Doc();
    this.docs.set(name, hub);
    Y.applyUpdate(hub, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(hub)));
    for (const replica of this.#replicas) if (replica !== from) replica.receive(name, hub);
  }
}

/** Documents of one replica; `part` cuts it off from the others, `join` brings them together again. */
export class LinkedReplica implements Replicator {
  readonly self: { id: string; index: number };
  readonly disk: MemoryDisk;
  readonly documents: Documents;
  readonly #hub: Hub;
  readonly #open = new Map<string, Y.Doc>();
  #joined = true;

  constructor(hub: Hub, self: { id: string; index: number }, disk: MemoryDisk) {
    this.#hub = hub;
    this.self = self;
    this.disk = disk;
    this.documents = new Documents(disk.docs());
    this.documents.replicate(this);
  }

  part(): void {
    this.#joined = false;
  }

  join(): void {
    this.#joined = true;
    for (const [name, doc] of this.#open) {
      const hub = this.#hub.docs.get(name);
      if (hub) this.receive(name, hub);
      this.#hub.take(this, name, doc);
    }
  }

  receive(name: string, hub: Y.Doc): void {
    const doc = this.#open.get(name);
    if (!this.#joined || !doc) return;
    const missing = Y.encodeStateAsUpdate(hub, Y.encodeStateVector(doc));
    Y.applyUpdate(doc, missing, FROM_HUB);
  }

  async opened(name: string, doc: Y.Doc): Promise<void> {
    this.#open.set(name, doc);
    if (!this.#joined) return;
    const hub = this.#hub.docs.get(name);
    if (hub) this.receive(name, hub);
    this.#hub.take(this, name, doc);
  }

  changed(name: string, origin: unknown): void {
    const doc = this.#open.get(name);
    if (origin !== FROM_HUB && this.#joined && doc) this.#hub.take(this, name, doc);
  }

  closed(name: string): void {
    this.#open.delete(name);
  }

  removed(name: string): void {
    this.#open.delete(name);
    if (this.#joined) this.#hub.docs.delete(name);
  }
}
