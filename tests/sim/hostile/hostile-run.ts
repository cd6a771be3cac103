import * as Y from 'yjs';
import { SealedLog } from '../../../sync-server/room/sealed-log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryRoomStorage } from '../../support/memory-room-storage.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { turn } from '../../support/turns.ts';
import { takeOverGlobals } from '../engine/globals.ts';
import type { Read } from './content-replica.ts';
import { type Attack, HostileRoom, honestRoom } from './hostile-room.ts';
import { LogReplica, type ReplicaOptions } from './log-replica.ts';
import { quickDoc } from './quick-doc.ts';
import { SharedKeys } from './shared-keys.ts';

const IDS = ['one', 'two', 'three'];
const BUSY = 12;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** What replicas do against a hostile room. Without some of it the checks of a run must bite. */
export type Care = {
  /** They remember how far they had read a log. */
  remembers: boolean;
  /** They ask the room daily whether it still has contents. */
  asksAgain: boolean;
};
const FULL_CARE: Care = { remembers: true, asksAgain: true };

/** What came of one run. */
export type Outcome = {
  attack: Attack;
  /** Replicas that lack something which somebody wrote, and nobody whom it concerns was told of anything. */
  deceived: string[];
  /** Rows that are somewhere and that nobody wrote so, and contents that are not what was asked for. */
  forged: string[];
  faults: string[];
  /** Whether, once an honest room is there, every replica has everything that any had. */
  whole: boolean;
};

/**
 * Three replicas of a document and of contents that its rows name, whose room is honest for a while, then does one thing
 * that it should not, and is replaced.
 */
export async function hostileRun(seed: number, care: Partial<Care> = {}): Promise<Outcome> {
  let clients = 0;
  const restore = takeOverGlobals(
    () => {
      clients += 1;
      return seed * 1_000 + clients;
    },
    () => {},
  );
  try {
    return await throughAttack(await Run.begin(seed, { ...FULL_CARE, ...care }));
  } finally {
    restore();
  }
}

async function throughAttack(run: Run): Promise<Outcome> {
  await run.everyday();
  await run.newKey();
  run.sendAway();
  await run.everyday();
  const attack = await run.attacked();
  await run.everyday();
  await run.join();
  // Whoever was kept in the dark hears of it as soon as everybody has written and read once more.
  await run.everybody();
  await run.dayLater();
  const forgedContents = await run.readAll();
  const deceived = run.deceived();
  const forged = [...run.forged(), ...forgedContents];
  const faults = run.faults();
  return { attack, deceived, forged, faults, whole: await run.repaired() };
}

class Run {
  readonly random: SeededRandom;
  readonly #clock = new ManualClock();
  readonly #room = new HostileRoom(this.#clock);
  readonly #other = new HostileRoom(this.#clock);
  readonly #options: ReplicaOptions;
  readonly #asksAgain: boolean;
  #replicas: LogReplica[] = [];
  #others: LogReplica[] = [];
  /** Everything that was ever written, as the writer's document said it. */
  readonly #written = new Set<string>();
  /** Replicas that asked for contents in vain. */
  readonly #unread = new Map<LogReplica, string[]>();
  #away: LogReplica | null = null;

  private constructor(seed: number, { remembers, asksAgain }: Care) {
    this.random = new SeededRandom(seed);
    const { random } = this;
    this.#options = { keys: new SharedKeys(random), random, clock: this.#clock, remembers };
    this.#asksAgain = asksAgain;
  }

  static async begin(seed: number, care: Care): Promise<Run> {
    const run = new Run(seed, care);
    const open = (document: string) => (id: string) => LogReplica.open(id, document, run.#options);
    run.#replicas = await Promise.all(IDS.map(open('doc')));
    run.#others = await Promise.all(IDS.map(open('other')));
    return run;
  }

  /** In half of the runs, with the contents sealed anew in half of these. */
  async newKey(): Promise<void> {
    if (this.random.chance(0.5)) return;
    await this.#room.copy();
    this.#options.keys.rotate(this.random);
    await this.#rest();
    const one = this.#replicas.find(({ connected }) => connected);
    if (one && this.random.chance(0.5)) await one.contents.reseal();
  }

  /** One of them is elsewhere for a while, and reads later what the others wrote meanwhile. */
  sendAway(): void {
    this.#away = this.random.chance(0.6) ? this.random.pick(this.#replicas) : null;
    this.#away?.disconnect();
  }

  /** One more, which has read nothing yet. */
  async join(): Promise<void> {
    const newcomer = await LogReplica.open('four', 'doc', this.#options);
    newcomer.invitedBy(this.random.pick(this.#replicas));
    this.#replicas.push(newcomer);
  }

  /** Replicas write, come and go. */
  async everyday(): Promise<void> {
    for (let step = 0; step < BUSY; step += 1) {
      const one = this.random.pick(this.#replicas.filter((replica) => replica !== this.#away));
      if (!one.connected || this.random.chance(0.15)) one.connect(this.#room.seen);
      else if (this.random.chance(0.1)) one.disconnect();
      if (this.random.chance(0.8)) await this.#write(one);
      if (this.random.chance(0.1)) await this.#room.copy();
      if (this.random.chance(0.5)) await this.#rest();
    }
    await this.#rest();
  }

  async attacked(): Promise<Attack> {
    for (const one of this.#others) one.connect(this.#other.seen);
    for (const one of this.#others) for (let at = 0; at < 8; at += 1) await one.write(this.random, 0);
    await this.#rest();
    const attack = await this.#room.attack(this.random, this.#other.log);
    this.#away = null;
    await this.#rest();
    return attack;
  }

  /** Everybody connects, writes and hears of what the others wrote, as far as the room lets them. */
  async everybody(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      for (const one of this.#replicas) one.connect(this.#room.seen);
      await this.#rest();
      for (const one of this.#replicas) await this.#write(one);
      await this.#rest();
    }
  }

  /** Everybody comes once more, after long enough for whatever replicas do daily. */
  async dayLater(): Promise<void> {
    if (this.#asksAgain) await this.#clock.advance(DAY_MS);
    for (const one of this.#replicas) one.connect(this.#room.seen);
    await this.#rest();
    // Two that send the same at once may be told to try again.
    await this.#clock.advance(MINUTE_MS);
    await this.#rest();
  }

  /** Everybody reads all contents that they know of. Returns what was given to them for something else. */
  async readAll(): Promise<string[]> {
    const forged: string[] = [];
    for (const one of this.#replicas) {
      for (const hash of one.named) {
        const read = await one.contents.read(hash);
        if (read === 'forged') forged.push(`${one.id}: ${hash}`);
        if (read === 'not there') this.#unread.set(one, [...(this.#unread.get(one) ?? []), hash]);
      }
    }
    return forged;
  }

  /** Who lacks something of somebody, where neither was told of anything. */
  deceived(): string[] {
    const trusting = this.#replicas.filter(({ told }) => !told);
    const lacks = (one: LogReplica, other: LogReplica): boolean =>
      lacksRows(one, other) || (this.#unread.get(one) ?? []).some((hash) => other.contents.has(hash));
    return trusting.filter((one) => trusting.some((other) => lacks(one, other))).map(({ id }) => id);
  }

  forged(): string[] {
    const rows = this.#replicas.flatMap((one) => Object.entries(one.rows));
    return rows.map(([key, value]) => `${key}=${value}`).filter((row) => !this.#written.has(row));
  }

  faults(): string[] {
    return this.#replicas.flatMap(({ id, faults }) => faults.map((kind) => `${id}: ${kind}`));
  }

  /** The log and the contents are removed, and a room that does as it should takes them up anew. */
  async repaired(): Promise<boolean> {
    const log = await SealedLog.load(new MemoryRoomStorage(), 'doc');
    const room = honestRoom(log, this.#clock);
    const whole = this.#union();
    const kept = this.#replicas.flatMap(({ contents, named }) => named.filter((hash) => contents.has(hash)));
    for (const one of this.#replicas) one.disconnect();
    for (let round = 0; round < 6; round += 1) {
      for (const one of this.#replicas) if (!one.connected) one.connect(room);
      await this.#rest();
      await this.#clock.advance(MINUTE_MS);
    }
    const read: Read[] = [];
    for (const { contents } of this.#replicas)
      for (const hash of new Set(kept)) read.push(await contents.read(hash));
    return (
      this.#replicas.every(({ doc, connected }) => connected && same(doc, whole)) &&
      read.every((what) => what === 'whole')
    );
  }

  async #write(one: LogReplica): Promise<void> {
    await one.write(this.random);
    for (const [key, value] of Object.entries(one.rows)) {
      if (key.startsWith(`${one.id}/`)) this.#written.add(`${key}=${value}`);
    }
  }

  #union(): Y.Doc {
    const whole = quickDoc();
    for (const { doc } of this.#replicas) Y.applyUpdate(whole, Y.encodeStateAsUpdate(doc));
    return whole;
  }

  /** Until nothing goes on any more. A room that says nothing of a log is not waited for long. */
  async #rest(): Promise<void> {
    const all = [...this.#replicas, ...this.#others];
    for (let quiet = 0, silent = 0; quiet < 6 && silent < 60; ) {
      await turn();
      quiet = all.every(({ atRest }) => atRest) ? quiet + 1 : 0;
      silent = all.some(({ asking }) => asking) ? 0 : silent + 1;
    }
  }
}

function lacksRows(one: LogReplica, { id, rows }: LogReplica): boolean {
  return Object.keys(rows).some((key) => key.startsWith(`${id}/`) && !(key in one.rows));
}

function same(one: Y.Doc, two: Y.Doc): boolean {
  const rows = (doc: Y.Doc) => JSON.stringify(Object.entries(doc.getMap('rows').toJSON()).sort());
  return rows(one) === rows(two);
}
