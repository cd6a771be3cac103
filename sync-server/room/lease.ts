import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { LeaseRef } from '../../shared/protocol/frames.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { Turns } from '../../shared/std/turns.ts';
import { nullable } from '../../shared/syscalls/declare.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import type { RoomStorage } from './storage.ts';

/** A lease ends this long after it was granted or renewed last. */
export const LEASE_MS = 60_000;
/** Names that are remembered one by one. */
export const MAX_LEASES = 10_000;
const PREFIX = 'lease/';
/** The highest epoch of a name that was forgotten: other names begin above it, so that no epoch ever comes again. */
const FLOOR = 'lease-floor';
const NAME = /^[A-Za-z0-9][A-Za-z0-9:._/-]*$/;

const StoredLease = Type.Object({
  holder: nullable(Type.String()),
  epoch: Type.Integer({ minimum: 1 }),
});
type Lease = Static<typeof StoredLease> & {
  /** By the room's clock; what ends a lease is its timer, which no change of the clock moves. */
  renewedAt: number;
  ended: boolean;
  cancel: () => void;
};

export type LeasesParts = {
  storage: RoomStorage;
  clock: Clock;
  isOnline(replicaId: string): boolean;
  /** Another replica has taken the lease: `epoch` and `holder` are the new ones. */
  onLost(replicaId: string, lost: { name: string; epoch: number; holder: string }): void;
};

/**
 * Who may act in the name of the GSV where only one replica may. Invariants:
 * 1. A grant is on disk before it is answered, and each grant to another holder, or after a release, has a higher epoch.
 * 2. A holder keeps its lease for `LEASE_MS` after it renewed it last, connected or not; after a start of the room,
 *    every lease counts as renewed then.
 */
export class Leases {
  readonly #parts: LeasesParts;
  readonly #leases = new Map<string, Lease>();
  readonly #turns = new Turns();
  #floor: number;

  private constructor(parts: LeasesParts, floor: number) {
    this.#parts = parts;
    this.#floor = floor;
  }

  static async load(parts: LeasesParts): Promise<Leases> {
    const leases = new Leases(parts, Number((await parts.storage.get(FLOOR)) ?? 0));
    for (const [key, stored] of await parts.storage.list(PREFIX)) {
      if (Value.Check(StoredLease, stored)) leases.#set(key.slice(PREFIX.length), stored);
    }
    return leases;
  }

  /** Throws 400 on a name that is none, 429 when too many leases are held, 507 when the grant cannot be stored. */
  acquire(replicaId: string, { name, force }: Args<'lease.acquire'>): Promise<Result<'lease.acquire'>> {
    if (!NAME.test(name)) throw new SyscallError(400, `Not the name of a lease: ${name}`);
    return this.#turns.take(async () => {
      const known = this.#leases.get(name);
      if (known?.holder === replicaId) return this.#renew(name, known);
      if (known && isHeld(known) && !force) return { granted: false, ...this.#describe(known) };
      return this.#grant(name, replicaId, known);
    });
  }

  release(replicaId: string, { name, epoch }: Args<'lease.release'>): Promise<Result<'lease.release'>> {
    return this.#turns.take(async () => {
      const known = this.#leases.get(name);
      if (known?.holder !== replicaId || known.epoch !== epoch) return { released: false };
      await this.#write(name, { holder: null, epoch });
      return { released: true };
    });
  }

  get(name: string): Result<'lease.get'> {
    const known = this.#leases.get(name);
    return { lease: known && isHeld(known) ? this.#describe(known) : null };
  }

  /**
   * Throws 409 unless the caller's lease is the newest of its name. One that has ended and was granted to nobody since
   * is still good.
   */
  check({ name, epoch }: LeaseRef, replicaId: string | undefined): void {
    const known = this.#leases.get(name);
    if (known && known.epoch === epoch && known.holder !== null && known.holder === replicaId) return;
    throw new SyscallError(409, 'This run goes on elsewhere', {
      details: { lease: name, epoch: known?.epoch ?? this.#floor },
    });
  }

  /** The storage has been emptied. */
  reset(): void {
    for (const name of [...this.#leases.keys()]) this.#forget(name);
    this.#floor = 0;
  }

  #renew(name: string, { holder, epoch }: Lease): Result<'lease.acquire'> {
    this.#set(name, { holder, epoch });
    return { granted: true, epoch, forMs: LEASE_MS };
  }

  async #grant(name: string, holder: string, known: Lease | undefined): Promise<Result<'lease.acquire'>> {
    if (!known) await this.#makeRoom();
    const epoch = (known?.epoch ?? this.#floor) + 1;
    await this.#write(name, { holder, epoch });
    if (known && known.holder !== null) this.#parts.onLost(known.holder, { name, epoch, holder });
    return { granted: true, epoch, forMs: LEASE_MS };
  }

  /** Forgets the lease that has not been held for the longest time, but never that its epochs were given. */
  async #makeRoom(): Promise<void> {
    if (this.#leases.size < MAX_LEASES) return;
    const { storage } = this.#parts;
    const [name, lease] = [...this.#leases].find(([, one]) => !isHeld(one)) ?? [];
    if (name === undefined || !lease) {
      throw new SyscallError(429, 'Too many leases are held at once', { retryable: true });
    }
    if (lease.epoch > this.#floor) {
      await storage.put(FLOOR, lease.epoch);
      this.#floor = lease.epoch;
    }
    await storage.delete(PREFIX + name);
    this.#forget(name);
  }

  async #write(name: string, lease: Static<typeof StoredLease>): Promise<void> {
    await this.#parts.storage.put(PREFIX + name, lease);
    this.#set(name, lease);
  }

  /** Counts as renewed now, and as the newest of all. */
  #set(name: string, { holder, epoch }: Static<typeof StoredLease>): void {
    const { clock } = this.#parts;
    this.#forget(name);
    const lease = { holder, epoch, renewedAt: clock.now(), ended: holder === null, cancel: () => {} };
    if (holder !== null) {
      lease.cancel = clock.after(LEASE_MS, () => {
        lease.ended = true;
      });
    }
    this.#leases.set(name, lease);
  }

  #forget(name: string): void {
    this.#leases.get(name)?.cancel();
    this.#leases.delete(name);
  }

  #describe({ holder, epoch, renewedAt }: Lease) {
    const left = renewedAt + LEASE_MS - this.#parts.clock.now();
    const name = holder ?? '';
    return {
      holder: name,
      epoch,
      online: this.#parts.isOnline(name),
      forMs: Math.min(LEASE_MS, Math.max(0, Math.round(left))),
    };
  }
}

function isHeld({ holder, ended }: Lease): boolean {
  return holder !== null && !ended;
}
