import * as Y from 'yjs';
import { Keyring } from '../../../shared/kernel/seal/keyring.ts';
import { SealedLog } from '../../../sync-server/room/sealed-log.ts';
import { turn } from '../../support/linked-peers.ts';
import { MemoryRoomStorage } from '../../support/memory-room-storage.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { takeOverGlobals } from '../engine/globals.ts';
import { type Attack, attacks, HostileLog } from './hostile-log.ts';
import { LogReplica, type ReplicaOptions } from './log-replica.ts';

const IDS = ['one', 'two', 'three'];
const BUSY = 12;

/** What came of one run. */
export type Outcome = {
  attack: Attack;
  /** Replicas that lack something which somebody wrote, and were not told of anything. */
  deceived: string[];
  /** Rows that are somewhere and that nobody wrote so. */
  forged: string[];
  faults: string[];
  /** Whether, once an honest room is there, every replica has everything that any had. */
  whole: boolean;
};

/** Three replicas of a document, whose room is honest for a while, then does one thing that it should not, and is repaired. */
export async function hostileRun(seed: number, remembers = true): Promise<Outcome> {
  let clients = 0;
  const restore = takeOverGlobals(
    () => {
      clients += 1;
      return seed * 1_000 + clients;
    },
    () => {},
  );
  try {
    return await throughAttack(new Run(seed, remembers));
  } finally {
    restore();
  }
}

async function throughAttack(run: Run): Promise<Outcome> {
  await run.everyday(run.log);
  run.sendAway();
  await run.everyday(run.log);
  const attack = await run.attacked();
  await run.everyday(run.log);
  run.join();
  // Whoever was kept in the dark hears of it as soon as everybody has written and read once more.
  await run.everybody(run.log);
  const deceived = run.deceived();
  const faults = run.faults();
  return { attack, deceived, forged: run.forged(), faults, whole: await run.repaired() };
}

class Run {
  readonly random: SeededRandom;
  readonly log = new HostileLog();
  readonly #other = new HostileLog();
  readonly #options: ReplicaOptions;
  readonly #replicas: LogReplica[];
  readonly #others: LogReplica[];
  /** Everything that was ever written, as the writer's document said it. */
  readonly #written = new Set<string>();
  #away: LogReplica | null = null;

  constructor(seed: number, remembers: boolean) {
    this.random = new SeededRandom(seed);
    const { random } = this;
    this.#options = { keyring: Keyring.make(random), random, remembers };
    const replica = (document: string) => (id: string) => new LogReplica(id, document, this.#options);
    this.#replicas = IDS.map(replica('doc'));
    this.#others = IDS.map(replica('other'));
  }

  /** One of them is elsewhere for a while, and reads later what the others wrote meanwhile. */
  sendAway(): void {
    this.#away = this.random.chance(0.6) ? this.random.pick(this.#replicas) : null;
    this.#away?.disconnect();
  }

  /** One more, which has read nothing yet. */
  join(): void {
    this.#replicas.push(new LogReplica('four', 'doc', this.#options));
  }

  /** Replicas write, come and go. */
  async everyday(log: HostileLog): Promise<void> {
    for (let step = 0; step < BUSY; step += 1) {
      const one = this.random.pick(this.#replicas.filter((replica) => replica !== this.#away));
      if (!one.connected || this.random.chance(0.15)) one.connect(log.view());
      else if (this.random.chance(0.1)) one.disconnect();
      if (this.random.chance(0.8)) this.#write(one);
      if (this.random.chance(0.1)) log.copy();
      if (this.random.chance(0.5)) await this.#rest();
    }
    await this.#rest();
  }

  async attacked(): Promise<Attack> {
    for (const one of this.#others) one.connect(this.#other.view());
    for (const one of this.#others) for (let at = 0; at < 8; at += 1) one.write(this.random);
    await this.#rest();
    const attack = this.random.pick(attacks);
    this.log.brazen = this.random.chance(0.5);
    this.log.attack(attack, this.random, this.#other);
    this.#away = null;
    await this.#rest();
    return attack;
  }

  /** Everybody connects, writes and hears of what the others wrote, as far as the room lets them. */
  async everybody(log: HostileLog): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      for (const one of this.#replicas) one.connect(log.view());
      await this.#rest();
      for (const one of this.#replicas) this.#write(one);
      await this.#rest();
    }
  }

  /** Who lacks something of somebody who was told of nothing either. */
  deceived(): string[] {
    const trusting = this.#replicas.filter(({ faults }) => faults.length === 0);
    return trusting.filter((one) => trusting.some((other) => lacksOf(one, other))).map(({ id }) => id);
  }

  forged(): string[] {
    const rows = this.#replicas.flatMap((one) => Object.entries(one.rows));
    return rows.map(([key, value]) => `${key}=${value}`).filter((row) => !this.#written.has(row));
  }

  faults(): string[] {
    return this.#replicas.flatMap(({ id, faults }) => faults.map((kind) => `${id}: ${kind}`));
  }

  /** The log is removed, and a room that does as it should takes it up anew. */
  async repaired(): Promise<boolean> {
    const log = await SealedLog.load(new MemoryRoomStorage(), 'doc');
    const whole = this.#union();
    for (const one of this.#replicas) one.disconnect();
    for (let round = 0; round < 6; round += 1) {
      for (const one of this.#replicas) if (!one.connected) one.connect(log);
      await this.#rest();
    }
    return this.#replicas.every(({ doc, connected }) => connected && same(doc, whole));
  }

  #write(one: LogReplica): void {
    one.write(this.random);
    for (const [key, value] of Object.entries(one.rows)) {
      if (key.startsWith(`${one.id}/`)) this.#written.add(`${key}=${value}`);
    }
  }

  #union(): Y.Doc {
    const whole = new Y.Doc();
    for (const { doc } of this.#replicas) Y.applyUpdate(whole, Y.encodeStateAsUpdate(doc));
    return whole;
  }

  /** Until nothing goes on any more. A room that says nothing is not waited for long. */
  async #rest(): Promise<void> {
    const all = [...this.#replicas, ...this.#others];
    for (let quiet = 0, turns = 0; quiet < 6 && turns < 60; turns += 1) {
      await turn();
      quiet = all.every(({ atRest }) => atRest) ? quiet + 1 : 0;
    }
  }
}

function lacksOf(one: LogReplica, { id, rows }: LogReplica): boolean {
  return Object.keys(rows).some((key) => key.startsWith(`${id}/`) && !(key in one.rows));
}

function same(one: Y.Doc, two: Y.Doc): boolean {
  const rows = (doc: Y.Doc) => JSON.stringify(Object.entries(doc.getMap('rows').toJSON()).sort());
  return rows(one) === rows(two);
}
