import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { RoomStorage } from './storage.ts';

const PREFIX = 'replica/';
/** The number of a replica has ten bits in the ids of what it writes. */
export const MAX_REPLICAS = 1024;
const FOUNDER = 0;

const StoredReplica = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  lastSeenAt: Type.Integer({ minimum: 0 }),
});
type StoredReplica = Static<typeof StoredReplica>;

/** The replicas that have ever connected: the number of each, the same for ever, and when it was last seen. */
export class Replicas {
  readonly #storage: RoomStorage;
  readonly #clock: Clock;
  readonly #replicas = new Map<string, StoredReplica>();

  private constructor(storage: RoomStorage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  static async load(storage: RoomStorage, clock: Clock): Promise<Replicas> {
    const replicas = new Replicas(storage, clock);
    for (const [key, stored] of await storage.list(PREFIX)) {
      if (Value.Check(StoredReplica, stored)) replicas.#replicas.set(key.slice(PREFIX.length), stored);
    }
    return replicas;
  }

  /** Every replica with the time at which it was last seen. */
  all(): { replicaId: string; lastSeenAt: number }[] {
    return Array.from(this.#replicas, ([replicaId, { lastSeenAt }]) => ({ replicaId, lastSeenAt }));
  }

  lastSeenAt(replicaId: string): number {
    return this.#replicas.get(replicaId)?.lastSeenAt ?? this.#clock.now();
  }

  /** Throws 409 when this replica has no number and there are no more. */
  demandNumber(replicaId: string): void {
    if (!this.#replicas.has(replicaId)) this.#next();
  }

  /** Resolves with the number of the replica; a new one's is stored before. Throws 409 when there are no more numbers. */
  async connected(replicaId: string, isFounder: boolean): Promise<number> {
    const known = this.#replicas.get(replicaId);
    if (known) {
      await this.seen(replicaId);
      return known.index;
    }
    const index = isFounder ? FOUNDER : this.#next();
    await this.#keep(replicaId, { index, lastSeenAt: this.#clock.now() });
    return index;
  }

  /** That it cannot be written shuts nobody out: it only shows an older time after a restart. */
  async seen(replicaId: string): Promise<void> {
    const known = this.#replicas.get(replicaId);
    if (!known) return;
    const seen = { ...known, lastSeenAt: this.#clock.now() };
    this.#replicas.set(replicaId, seen);
    try {
      await this.#storage.put(PREFIX + replicaId, seen);
    } catch (thrown) {
      console.error(`room: presence of a browser could not be written: ${messageOf(thrown)}`);
    }
  }

  /** The storage has been emptied. */
  reset(): void {
    this.#replicas.clear();
  }

  #next(): number {
    const index = 1 + Math.max(FOUNDER, ...Array.from(this.#replicas.values(), (one) => one.index));
    if (index >= MAX_REPLICAS)
      throw new SyscallError(409, `This GSV has been on ${MAX_REPLICAS} browsers; there can be no more`);
    return index;
  }

  /** The number is taken from this instant on. */
  async #keep(replicaId: string, replica: StoredReplica): Promise<void> {
    this.#replicas.set(replicaId, replica);
    try {
      await this.#storage.put(PREFIX + replicaId, replica);
    } catch (thrown) {
      this.#replicas.delete(replicaId);
      throw thrown;
    }
  }
}
