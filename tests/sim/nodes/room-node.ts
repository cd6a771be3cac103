import { Room } from '../../../sync-server/room/room.ts';
import { type Dice, randomOf } from '../engine/dice.ts';
import { Life, type Skew } from '../engine/life.ts';
import type { Station } from '../engine/network.ts';
import type { Timeline } from '../engine/timeline.ts';
import { RoomDisk } from '../storage/room-disk.ts';
import type { Witness } from './witness.ts';

export const CLAIM_SECRET = `gsv_claim_${'s'.repeat(43)}`;

/** The server with its disk. `room` comes and goes. */
export class RoomNode implements Station {
  readonly name = 'room';
  readonly disk = new RoomDisk();
  readonly skew: Skew = { ms: 0 };
  readonly #around: { timeline: Timeline; dice: Dice; witness: Witness };
  cutOff = false;
  life: Life;
  room: Room | null = null;

  constructor(around: { timeline: Timeline; dice: Dice; witness: Witness }) {
    this.#around = around;
    this.life = new Life(around.timeline, this.skew);
    this.life.end();
  }

  get down(): boolean {
    return this.life.over;
  }

  start(): void {
    if (!this.life.over) return;
    const { timeline, dice, witness } = this.#around;
    const life = new Life(timeline, this.skew);
    this.life = life;
    life.onEnd(() => {
      this.room = null;
    });
    const storage = life.guard(this.disk.storage(life));
    void Room.open({
      storage,
      clock: life.clock(),
      random: randomOf(dice),
      claimSecret: CLAIM_SECRET,
      fetch: noWeb,
    }).then(
      (room) => {
        if (!life.over) this.room = room;
      },
      (thrown: unknown) => witness.broke(`the room did not start: ${String(thrown)}`),
    );
  }

  kill(): void {
    this.life.end();
  }
}

/** The simulation has no web beside its own network. */
function noWeb(): Promise<Response> {
  return Promise.reject(new Error('There is no web here'));
}
