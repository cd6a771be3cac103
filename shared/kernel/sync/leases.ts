import { Type } from 'typebox';
import type { Clock } from '../../std/clock.ts';
import { Condition } from '../../std/condition.ts';
import { matches } from '../../std/matches.ts';
import type { leaseSyscalls } from '../../syscalls/lease.ts';
import type { Args, Result } from '../../syscalls/table.ts';

/** A lease is not trusted for its last moments: what is begun under it takes a while to arrive. */
const MARGIN_MS = 5_000;
/** Between two tries to renew one while the room cannot be asked. */
const RETRY_MS = 5_000;

type LeaseSyscall = keyof typeof leaseSyscalls;

/** What leases need of the room. */
export type LeaseRoom = {
  /** Whether the room can be asked; true as soon as documents are exchanged with it. */
  readonly online: boolean;
  /** Whether other replicas may act, too; without them nobody needs a lease. */
  needed(): boolean;
  /** Rejects with SyscallError. */
  call<Name extends LeaseSyscall>(name: Name, args: Args<Name>): Promise<Result<Name>>;
};

export type Grant =
  | { kind: 'held'; epoch: number }
  | { kind: 'other'; holder: string; online: boolean; forMs: number }
  /** The room could not be asked. */
  | { kind: 'away' };

type Held = { epoch: number; askedAt: number; forMs: number; cancelRenewal(): void; cancelEnd(): void };

const Lost = Type.Object({ name: Type.String(), epoch: Type.Integer({ minimum: 1 }), holder: Type.String() });

/**
 * The leases that this replica holds. One is trusted by this replica's own clock, counted from before it was asked for,
 * and by its timers: the clock says how long a frozen kernel slept, a timer ends a lease whose clock went back. While one
 * is held it is renewed by a timer, so that a frozen kernel loses it.
 */
export class Leases {
  readonly #room: LeaseRoom;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #asking = new Map<string, Promise<Grant>>();
  readonly #changes = new Condition();
  #version = 0;

  constructor(room: LeaseRoom, clock: Clock) {
    this.#room = room;
    this.#clock = clock;
  }

  get online(): boolean {
    return this.#room.online;
  }

  needed(): boolean {
    return this.#room.needed();
  }

  /** The epoch of a lease that can be trusted right now; undefined when the room has to be asked. */
  valid(name: string): number | undefined {
    const held = this.#held.get(name);
    if (!held) return undefined;
    const age = this.#clock.now() - held.askedAt;
    return age >= 0 && age < held.forMs - MARGIN_MS ? held.epoch : undefined;
  }

  /** Takes a lease, or renews the one held. `force`: a person decided to take it from whoever has it. */
  acquire(name: string, force = false): Promise<Grant> {
    const asking = force ? undefined : this.#asking.get(name);
    if (asking) return asking;
    const asked = this.#ask(name, force).finally(() => {
      if (this.#asking.get(name) === asked) this.#asking.delete(name);
    });
    this.#asking.set(name, asked);
    return asked;
  }

  /** Whether anybody holds the lease; null when the room could not be asked. */
  async isHeld(name: string): Promise<boolean | null> {
    return this.#room.call('lease.get', { name }).then(
      ({ lease }) => lease !== null,
      () => null,
    );
  }

  /** Gives a lease back. It ends by itself when the room cannot be told. */
  async release(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (!held) return;
    this.drop(name);
    await this.#room.call('lease.release', { name, epoch: held.epoch }).catch(() => {});
  }

  /** Trusts a lease no longer, and does not renew it. */
  drop(name: string): void {
    this.#cancelTimers(name);
    // Who waits for a change is not woken by none: two that wait would wake each other for ever.
    if (this.#held.delete(name)) this.#tell();
  }

  /** A `lease.lost` signal of the room; anything else is ignored. */
  onLost(payload: unknown): void {
    if (!matches(Lost, payload)) return;
    const { name, epoch } = payload;
    if (epoch > (this.#held.get(name)?.epoch ?? Number.POSITIVE_INFINITY)) this.drop(name);
  }

  /** The link to the room came or went. */
  onLink(): void {
    this.#tell();
  }

  /** Resolves at the next change of a lease or of the link, after `ms`, or when the signal aborts. */
  async changed(ms: number, signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    const end = (): void => early.abort();
    const cancel = this.#clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const before = this.#version;
    await this.#changes.until(() => this.#version !== before, early.signal).catch(() => {});
    cancel();
    signal.removeEventListener('abort', end);
  }

  /** Forgets everything and renews nothing. */
  stop(): void {
    for (const name of [...this.#held.keys()]) this.drop(name);
  }

  async #ask(name: string, force: boolean): Promise<Grant> {
    const askedAt = this.#clock.now();
    const answer = await this.#room.call('lease.acquire', { name, force }).catch(() => null);
    if (answer === null) return { kind: 'away' };
    if (!answer.granted) {
      this.drop(name);
      const { holder, online, forMs } = answer;
      return { kind: 'other', holder, online, forMs };
    }
    const { epoch, forMs } = answer;
    this.#cancelTimers(name);
    const cancelEnd = this.#clock.after(forMs - MARGIN_MS, () => this.drop(name));
    this.#held.set(name, { epoch, askedAt, forMs, cancelRenewal: () => {}, cancelEnd });
    this.#renewAfter(name, forMs / 2);
    return { kind: 'held', epoch };
  }

  #renewAfter(name: string, ms: number): void {
    const held = this.#held.get(name);
    if (!held) return;
    held.cancelRenewal = this.#clock.after(ms, async () => {
      const renewed = await this.acquire(name);
      if (renewed.kind === 'away' && this.valid(name) !== undefined) this.#renewAfter(name, RETRY_MS);
    });
  }

  #cancelTimers(name: string): void {
    const held = this.#held.get(name);
    held?.cancelRenewal();
    held?.cancelEnd();
  }

  #tell(): void {
    this.#version += 1;
    this.#changes.changed();
  }
}
