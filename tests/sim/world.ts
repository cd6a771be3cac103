import type { Link } from '../../shared/protocol/link.ts';
import { Dice, hashOf } from './engine/dice.ts';
import type { Life } from './engine/life.ts';
import { Network, type Station } from './engine/network.ts';
import { Timeline } from './engine/timeline.ts';
import { Trace } from './engine/trace.ts';
import { DriverNode } from './nodes/driver-node.ts';
import { ReplicaNode } from './nodes/replica-node.ts';
import { RoomNode } from './nodes/room-node.ts';
import { watchWires } from './nodes/wire-watch.ts';
import { Witness } from './nodes/witness.ts';

/** More steps than this in one instant are a loop that feeds itself. */
const MOST_STEPS = 3_000;
/** A dial that finds nobody is told so after this long at most. */
const DIAL_MS = 3_000;

export type WorldOptions = { seed: number; replicas: number; traceLines?: number };

/** Three browsers, a server and a workstation, with the time and the network between them in hand. */
export class World {
  readonly timeline = new Timeline();
  readonly trace: Trace;
  readonly dice: Dice;
  readonly network: Network;
  readonly witness: Witness;
  readonly room: RoomNode;
  readonly driver: DriverNode;
  readonly replicas: ReplicaNode[];
  #clients = 0;
  #instant = 0;
  #steps = 0;
  readonly #seed: number;

  constructor({ seed, replicas, traceLines }: WorldOptions) {
    this.#seed = seed;
    this.trace = new Trace(traceLines);
    this.dice = new Dice(hashOf(seed, 'world'));
    const log = (line: string): void => this.trace.add(line);
    this.network = new Network(this.timeline, new Dice(hashOf(seed, 'network')));
    this.witness = new Witness(this.timeline);
    this.network.log = log;
    this.witness.log = log;
    watchWires(this.network, this.witness);
    this.witness.isLinked = (name) => this.replicas.some((one) => one.name === name && this.#isLinked(one));
    const dial = (from: Station, life: Life): Promise<Link> => this.#dial(from, life);
    const common = { timeline: this.timeline, seed, witness: this.witness, dial };
    const diceFor = (name: string): Dice => new Dice(hashOf(seed, name));
    this.room = new RoomNode({ ...common, dice: diceFor('room') });
    this.driver = new DriverNode({ ...common, dice: diceFor('driver') });
    this.replicas = Array.from({ length: replicas }, (_, at) => {
      const name = String.fromCharCode(65 + at);
      return new ReplicaNode(name, { ...common, dice: diceFor(name) });
    });
  }

  /** What Yjs draws for a document. */
  clientId(): number {
    this.#clients += 1;
    return hashOf(this.#seed, 'client', this.#clients);
  }

  stations(): (Station & { readonly life: Life; readonly down: boolean; start(): void; kill(): void })[] {
    return [this.room, this.driver, ...this.replicas];
  }

  #isLinked(station: Station): boolean {
    return this.network.endsOf(station).some(({ heard }) => heard);
  }

  /** Lets everything that is ready to go on, go on. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Time passes, and the network works as well as it can. */
  async flow(ms: number, dice = this.dice): Promise<void> {
    const end = this.timeline.now + ms;
    for (;;) {
      await this.settle();
      const lane = dice.pick(this.network.ready());
      if (lane) this.network.deliver(lane);
      else if (!this.#tick(end)) break;
      if (this.#goesRound()) break;
    }
    this.timeline.passTo(end);
  }

  /** Time passes, and no frame arrives. */
  async wait(ms: number): Promise<void> {
    const end = this.timeline.now + ms;
    for (;;) {
      await this.settle();
      const { next } = this.timeline;
      if (next === undefined || next > end || this.#goesRound()) break;
      this.timeline.step();
    }
    this.timeline.passTo(end);
  }

  #goesRound(): boolean {
    if (this.timeline.now !== this.#instant) this.#steps = 0;
    this.#instant = this.timeline.now;
    this.#steps += 1;
    if (this.#steps < MOST_STEPS) return false;
    this.#steps = 0;
    this.witness.broke('it goes round and round without time passing');
    return true;
  }

  /** On to whatever happens next by `end`; false when nothing does. */
  #tick(end: number): boolean {
    const timer = this.timeline.next ?? Number.POSITIVE_INFINITY;
    const notice = this.network.nextNotice ?? Number.POSITIVE_INFINITY;
    if (Math.min(timer, notice) > end) return false;
    if (notice < timer) this.timeline.passTo(notice);
    else this.timeline.step();
    return true;
  }

  /** Connects to the room, if there is a way; otherwise it fails after a while. */
  async #dial(from: Station, life: Life): Promise<Link> {
    const { room } = this.room;
    if (room && !this.room.cutOff && !from.cutOff && !this.room.life.frozen) {
      const [near, far] = this.network.connect([from, life], [this.room, this.room.life]);
      room.accept(far);
      return near;
    }
    await new Promise<void>((resolve) => life.clock().after(this.dice.below(DIAL_MS), resolve));
    throw new Error('the server cannot be reached');
  }
}
