import { SYSTEM_DOC } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Leases } from '../sync/leases.ts';
import { type RoomDocuments, soon } from './hold.ts';

/** The lease of whoever does background work for the whole GSV. */
const SEAT = 'seat';

export type SeatParts = {
  leases: Leases;
  /** Documents at the room. */
  room: RoomDocuments;
  clock: Clock;
};

/**
 * What lets one replica at a time do the background work of the whole GSV: schedules, takeovers, timeouts. Who gets the
 * seat has heard all that its last holder did to the `system` document, and who gives it back has told all of it.
 */
export class Seat {
  readonly #parts: SeatParts;
  /** The epoch under which what the room had was here. */
  #caughtUp = 0;
  #users = 0;

  constructor(parts: SeatParts) {
    this.#parts = parts;
  }

  /** Whether this replica may do background work at this moment. */
  get held(): boolean {
    const { leases } = this.#parts;
    return !leases.needed() || leases.valid(SEAT) !== undefined;
  }

  /**
   * Does `work` with the seat, and gives the seat back when nobody else here uses it. False when it could not be had, and
   * nothing was done: another replica has it, or the room cannot be asked. Where nobody else is, none is needed. What
   * `work` throws is thrown.
   */
  async during(work: () => Promise<void>): Promise<boolean> {
    this.#users += 1;
    try {
      if (!(await this.#take())) return false;
      await work();
      return true;
    } finally {
      this.#users -= 1;
      if (this.#users === 0) await this.#letGo();
    }
  }

  /**
   * Resolves to whether every change of the `system` document is at the room, where others could act, and the seat is
   * still held: what is begun after that is not begun again by its next holder.
   */
  async told(): Promise<boolean> {
    const { leases, room, clock } = this.#parts;
    if (!leases.needed()) return true;
    return (await soon(clock, (signal) => room.stored([SYSTEM_DOC], signal))) && this.held;
  }

  async #take(): Promise<boolean> {
    const { leases, room, clock } = this.#parts;
    if (!leases.needed()) return true;
    if (leases.valid(SEAT) === this.#caughtUp) return true;
    if (!leases.online) return false;
    const grant = await leases.acquire(SEAT);
    if (grant.kind !== 'held') return false;
    if (grant.epoch === this.#caughtUp) return true;
    if (!(await soon(clock, (signal) => room.synced(SYSTEM_DOC, signal)))) return false;
    this.#caughtUp = grant.epoch;
    return true;
  }

  async #letGo(): Promise<void> {
    const { leases } = this.#parts;
    if (leases.valid(SEAT) === undefined) return leases.drop(SEAT);
    const told = await this.told();
    if (this.#users > 0) return;
    // Others get it when it ends; by then the room may have everything.
    if (told) await leases.release(SEAT);
    else leases.drop(SEAT);
  }
}
