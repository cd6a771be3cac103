import { bootKernel, type Kernel } from '../../../shared/kernel/kernel.ts';
import type { RoomDialer } from '../../../shared/kernel/ports/room-dialer.ts';
import { cheapPasswords } from '../../support/cheap-passwords.ts';
import type { Dice } from '../engine/dice.ts';
import { randomOf } from '../engine/dice.ts';
import { Life, type Skew } from '../engine/life.ts';
import type { Station } from '../engine/network.ts';
import type { Timeline } from '../engine/timeline.ts';
import { ReplicaDisk } from '../storage/replica-disk.ts';
import { SimModels } from './models.ts';
import { SimPage } from './page.ts';
import type { Witness } from './witness.ts';

const OPENED_AGAIN_MS = 3_000;

/** What a replica meets outside itself. */
export type Surroundings = {
  timeline: Timeline;
  dice: Dice;
  seed: number;
  witness: Witness;
  /** A link to the room, or a rejection. */
  dial(from: Station, life: Life): Promise<Awaited<ReturnType<RoomDialer['dial']>>>;
};

/** One browser with its disk and its page. `kernel` comes and goes. */
export class ReplicaNode implements Station {
  readonly name: string;
  readonly disk = new ReplicaDisk();
  readonly skew: Skew = { ms: 0 };
  readonly #around: Surroundings;
  cutOff = false;
  life: Life;
  kernel: Kernel | null = null;
  page: SimPage | null = null;
  /** How its page signs in; null before this browser has joined. */
  session: { username: string; token: string } | null = null;

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
    this.life = new Life(around.timeline, this.skew);
    this.life.end();
  }

  get down(): boolean {
    return this.life.over;
  }

  /** Starts from what is on disk. The kernel is there when everything has settled, unless it waits for something. */
  start(): void {
    if (!this.life.over) return;
    const { timeline, dice, seed, witness } = this.#around;
    const life = new Life(timeline, this.skew);
    this.life = life;
    life.onEnd(() => this.#stopped());
    const dialer: RoomDialer = { dial: () => this.#around.dial(this, life), setToken: () => {} };
    const models = new SimModels({ replica: this.name, seed, life, witness });
    void bootKernel({
      docs: life.guard(this.disk.docStore(life)),
      blobs: life.guard(this.disk.blobStore(life)),
      vault: life.guard(this.disk.vault(life)),
      models: life.guard(models),
      dialer: life.guard(dialer),
      skills: async () => [],
      clock: life.clock(),
      random: randomOf(dice),
      platform: `sim ${this.name}`,
      passwordCost: cheapPasswords,
      erase: async () => this.disk.erase(),
    }).then(
      (kernel) => this.#started(life, kernel),
      (thrown: unknown) => this.#failed(life, thrown),
    );
  }

  /** As a crash of the browser: what was not on disk is lost. */
  kill(): void {
    this.life.end();
  }

  #started(life: Life, kernel: Kernel): void {
    if (life.over) return;
    this.kernel = kernel;
    this.page = new SimPage({ kernel, life, replica: this.name, ...this.#around });
    if (this.session) this.page.signIn(this.session);
  }

  /** Somebody opens it again, and again; on a full disk it may not start until there is room. */
  #failed(life: Life, thrown: unknown): void {
    const { witness, timeline } = this.#around;
    if (this.disk.mood.full) witness.log(`${this.name} does not start: ${String(thrown)}`);
    else witness.broke(`${this.name} did not start: ${String(thrown)}`);
    life.end();
    timeline.after(OPENED_AGAIN_MS, () => this.start());
  }

  #stopped(): void {
    this.#around.witness.released(this.name);
    this.kernel = null;
    this.page?.lose('the kernel is gone');
    this.page = null;
  }
}
