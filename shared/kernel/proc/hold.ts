import type { LeaseRef } from '../../protocol/frames.ts';
import type { QueueRow, RunRow } from '../../state/conversation.ts';
import { SYSTEM_DOC } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Grant, Leases } from '../sync/leases.ts';
import type { Conversation } from './conversation.ts';
import type { Standing } from './process-states.ts';

/** How long the room is waited for to have stored, or to have sent, what belongs to a conversation. */
const SETTLE_MS = 10_000;
/** A paused run asks again this often, and at once when something changes. */
const RETRY_MS = 5_000;

/** Documents at the room. Both reject with the signal's reason. */
export type RoomDocuments = {
  /** Whether there is a room at all. */
  readonly joined: boolean;
  /** Whether documents are exchanged with it now. */
  readonly connected: boolean;
  /** Resolves when what the room has of an open document is here. */
  synced(name: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the room has stored every change of these. */
  stored(names: readonly string[], signal: AbortSignal): Promise<void>;
};

export type HoldParts = {
  /** Of the lease. */
  name: string;
  leases: Leases;
  documents: RoomDocuments;
  clock: Clock;
  conversation: Conversation;
  /** How often this replica has been connected to its room. */
  connections(): number;
  /** What the conversations of the process share. */
  shared: Shared;
};

/** The conversations of one process are under one lease. */
export type Shared = {
  /** How often it was asked for. */
  uses: number;
  /** Whether any of them needs it at this moment. */
  inUse(): boolean;
  /** The documents of all of them. */
  documentNames(): string[];
};

/** Whether a run may begin here. `free`: nobody else could; `apart`: cut off, others cannot know of it. */
export type Claim = Grant | { kind: 'free' } | { kind: 'apart' };

/** What a run asks before each step and each effect. */
export type RunGuard = {
  /** Under which lease it may go on at this moment; null when it needs none, undefined when it may not. */
  now(): LeaseRef | null | undefined;
  /** Waits until it may go on. `paused` is told why it waits, in words. */
  ready(signal: AbortSignal, paused: (why: string) => void): Promise<'go' | 'taken' | 'stopped'>;
  /** The lease was refused by who knows. */
  doubt(): void;
  /** Whether a queued message may be begun here at this moment, or join. */
  mayTake(row: QueueRow): boolean;
};

/**
 * What makes this replica the only one that acts in a process: the room's lease, where others could act, too. Invariant:
 * under a new epoch nothing is done before what another holder wrote is here.
 */
export class Hold implements RunGuard {
  readonly #parts: HoldParts;
  /** The epoch under which what the room had was here. */
  #caughtUp = 0;

  constructor(parts: HoldParts) {
    this.#parts = parts;
  }

  /** Asks for the lease where one is needed. */
  async claim(force = false): Promise<Claim> {
    const { leases, name } = this.#parts;
    this.#parts.shared.uses += 1;
    if (!leases.needed()) return { kind: 'free' };
    if (leases.valid(name) === this.#caughtUp) return { kind: 'held', epoch: this.#caughtUp };
    if (!leases.online) return { kind: 'apart' };
    const grant = await leases.acquire(name, force);
    if (grant.kind === 'away' && !leases.online) return { kind: 'apart' };
    if (grant.kind === 'held' && !(await this.#catchUp(grant.epoch))) return { kind: 'away' };
    return grant;
  }

  /** How a run is marked that begins now. */
  get terms(): Pick<RunRow, 'epoch' | 'apart'> {
    const { leases, name, connections } = this.#parts;
    const epoch = leases.valid(name);
    return epoch === undefined ? { epoch: null, apart: connections() } : { epoch };
  }

  now(): LeaseRef | null | undefined {
    const { leases, name, connections } = this.#parts;
    const run = this.#run();
    if (!run) return undefined;
    if (!leases.needed()) return null;
    const epoch = leases.valid(name);
    if (epoch !== undefined) return epoch === run.epoch ? { name, epoch } : undefined;
    return !leases.online && run.epoch === null && run.apart === connections() ? null : undefined;
  }

  async ready(signal: AbortSignal, paused: (why: string) => void): Promise<'go' | 'taken' | 'stopped'> {
    const { leases } = this.#parts;
    for (;;) {
      if (signal.aborted) return 'stopped';
      if (!this.#run()) return 'taken';
      if (this.now() !== undefined) return 'go';
      const claim = await this.claim();
      if (claim.kind === 'held' && this.#goOnUnder(claim.epoch)) continue;
      if (claim.kind === 'apart' && this.now() !== undefined) continue;
      paused(claim.kind === 'other' ? 'waiting for another browser' : 'waiting for the server');
      await leases.changed(RETRY_MS, signal);
    }
  }

  mayTake({ by, apart }: QueueRow): boolean {
    const { leases, name, conversation, connections } = this.#parts;
    if (!leases.needed() || leases.valid(name) !== undefined) return true;
    // Nobody else can have heard of it.
    return !leases.online && by === conversation.self.id && apart === connections();
  }

  /** How a message is marked that is queued now. */
  get mark(): Pick<QueueRow, 'by' | 'apart'> {
    const { leases, conversation, connections } = this.#parts;
    const apart = leases.needed() && !leases.online;
    return { by: conversation.self.id, ...(apart ? { apart: connections() } : {}) };
  }

  /** With what right this replica says what goes on in the process. */
  get standing(): Standing {
    const { leases, name } = this.#parts;
    const epoch = leases.valid(name);
    if (epoch !== undefined || !leases.needed()) return { kind: 'holder', epoch: epoch ?? 0 };
    return { kind: leases.online ? 'guest' : 'apart' };
  }

  doubt(): void {
    this.#parts.leases.drop(this.#parts.name);
  }

  /** Resolves to whether the room has stored all of the process. True where nobody else is. */
  async stored(): Promise<boolean> {
    const { leases, shared, documents, clock } = this.#parts;
    if (!leases.needed()) return true;
    return soon(clock, (signal) => documents.stored(shared.documentNames(), signal));
  }

  /** Gives the lease back as soon as the room has stored what was done under it, unless it is used again. */
  async letGo(): Promise<void> {
    const { leases, name, shared } = this.#parts;
    if (shared.inUse()) return;
    if (leases.valid(name) === undefined) return leases.drop(name);
    const { uses } = shared;
    const stored = await this.stored();
    if (uses !== shared.uses || shared.inUse()) return;
    if (stored) await leases.release(name);
    // Others get it when it ends; by then the room may have everything.
    else leases.drop(name);
  }

  /** This replica's run, unless it is another's by now. */
  #run(): RunRow | undefined {
    const { conversation } = this.#parts;
    const run = conversation.own.run.get();
    return run && !conversation.isTaken(run) ? run : undefined;
  }

  /** Puts the run under a new epoch. */
  #goOnUnder(epoch: number): boolean {
    const { conversation } = this.#parts;
    const run = this.#run();
    if (!run || run.epoch === epoch) return true;
    conversation.change(() => {
      conversation.own.run.set({ ...run, epoch });
      // Whoever had the lease in between may have begun to take the run over: that is over now.
      if (run.epoch !== null) conversation.take(run.runId, epoch, run.calls);
    });
    return true;
  }

  async #catchUp(epoch: number): Promise<boolean> {
    const { conversation, documents, clock } = this.#parts;
    // What its last holder said of it in the list of processes, too.
    const names = [conversation.stateName, SYSTEM_DOC];
    const here = await soon(clock, async (signal) => {
      await Promise.all(names.map((name) => documents.synced(name, signal)));
    });
    if (here) this.#caughtUp = epoch;
    return here;
  }
}

/** Resolves to whether a step on documents at the room was done in time. */
export async function soon(clock: Clock, step: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const late = new AbortController();
  const cancel = clock.after(SETTLE_MS, () => late.abort());
  return step(late.signal)
    .then(
      () => true,
      () => false,
    )
    .finally(cancel);
}
