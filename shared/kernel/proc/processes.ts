import { SyscallError } from '../../protocol/errors.ts';
import { isActive } from '../../state/active.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Documents } from '../documents.ts';
import type { Leases } from '../sync/leases.ts';
import { Conversation } from './conversation.ts';
import { ConversationRows } from './conversation-rows.ts';
import type { Delivery, Sent } from './delivery.ts';
import { Dialogue, type DialogueParts } from './dialogue.ts';
import { Hold, type RoomDocuments, soon } from './hold.ts';
import type { LiveFrames } from './live-frames.ts';
import type { OpenWork } from './open-work.ts';
import { Process } from './process.ts';
import type { ProcessStates } from './process-states.ts';
import { Requests } from './requests.ts';
import type { Self } from './surroundings.ts';

/** Parts of a dialogue that it has of its own. */
type OwnParts =
  | 'conversation'
  | 'conversationId'
  | 'hold'
  | 'counted'
  | 'onActivity'
  | 'pid'
  | 'requests'
  | 'say'
  | 'settle'
  | 'takeBack'
  | 'slot';

/** So often what is open is looked at: what nobody uses is closed. */
const SWEEP_MS = 5 * 60_000;
/** A disk that refused is asked again after this long. */
const DISK_RETRY_MS = 5_000;
/** The signal by which other replicas hear what a process is doing; pages have it in their view. */
export const ACTIVITY = 'proc.activity';

/** The lease under which runs of a process go on. */
export const leaseName = (pid: string): string => `proc:${pid}`;

export type ProcessesParts = {
  tables: SystemTables;
  states: ProcessStates;
  documents: Documents;
  self: Self;
  work: OpenWork;
  leases: Leases;
  room: RoomDocuments;
  frames: LiveFrames;
  clock: Clock;
  random: Random;
  /** What a dialogue needs beside its own state. */
  partsFor(row: ProcessRow, conversationId: string): Omit<DialogueParts, OwnParts>;
};

/** The processes of this GSV: rows in the `system` document, and those in use kept open. */
export class Processes {
  readonly #parts: ProcessesParts;
  readonly conversations: ConversationRows;
  readonly #open = new Map<string, Process>();
  #cancelSweep: (() => void) | null = null;
  readonly #activity = new Map<string, string>();
  /** Of these the activity was heard from another replica. */
  readonly #elsewhere = new Set<string>();
  readonly #listeners = new Set<(pid: string) => void>();

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
    this.conversations = new ConversationRows(parts.tables, parts.states);
    // Queued elsewhere, in a conversation that is not open here, for a process that is.
    parts.states.observe((rows) => {
      for (const { pid, conversationId, queuedCount } of rows) {
        const process = this.#open.get(pid);
        if (queuedCount > 0 && process?.slot.isTaken) void process.open(conversationId).catch(() => {});
      }
    });
  }

  rows(): ProcessRow[] {
    const { tables, states } = this.#parts;
    return tables.processes.rows().flatMap((row) => (row.state === 'killed' ? [] : [states.joined(row)]));
  }

  /** Whether a run goes on here. */
  get running(): boolean {
    return [...this.#open.values()].some(({ slot }) => slot.isTaken);
  }

  row(pid: string): ProcessRow | undefined {
    const { tables, states } = this.#parts;
    const row = tables.processes.get(pid);
    return row && row.state !== 'killed' ? states.joined(row) : undefined;
  }

  /** Calls back with pids of rows that changed, or of which something was said. The returned function ends it. */
  observe(changed: (pids: string[]) => void): () => void {
    const { tables, states } = this.#parts;
    const stopRows = tables.processes.observe((pids) => changed([...pids]));
    const stopStates = states.observe((rows) => changed(rows.map(({ pid }) => pid)));
    return () => {
      stopRows();
      stopStates();
    };
  }

  /** What a process is doing right now, in words; it is not stored. */
  activity(pid: string): string | null {
    return this.#activity.get(pid) ?? null;
  }

  /** Calls `listener` with the pid when an activity changes. */
  onActivity(listener: (pid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The row, if this identity may use the process. Throws 404 and 403 as `spec/routing.md` says. */
  demand(pid: string, identity: ProcessIdentity): ProcessRow {
    const row = this.row(pid);
    if (!row) throw new SyscallError(404, 'Process not found');
    if (identity.uid !== ROOT_UID && row.uid !== identity.uid)
      throw new SyscallError(403, 'Permission denied');
    return row;
  }

  register(row: ProcessRow): void {
    this.#parts.tables.processes.put(row.pid, row);
  }

  /** A process with all of its conversations. */
  process(row: ProcessRow): Process {
    const { clock } = this.#parts;
    const known = this.#open.get(row.pid);
    if (known) return known;
    const process = this.#made(row);
    this.#open.set(row.pid, process);
    this.#cancelSweep ??= clock.after(SWEEP_MS, () => void this.#sweep());
    return process;
  }

  /** One conversation of a process, made ready. Rejects with 404 when there is none of that id. */
  open(row: ProcessRow, conversationId = DEFAULT_CONVERSATION): Promise<Dialogue> {
    return this.process(row).open(conversationId);
  }

  /**
   * Gives a process something to answer that has a cause with an id: it is given once, however often and wherever this is
   * called. Resolves when it is on disk. Throws 404 when there is no such process, or conversation.
   */
  async deliver(pid: string, delivery: Delivery): Promise<Sent> {
    const row = this.row(pid);
    if (!row) throw new SyscallError(404, 'Process not found');
    return (await this.open(row, delivery.conversationId)).deliver(delivery);
  }

  /** What another replica says that a process is doing there. */
  heard({ pid, activity }: Record<string, unknown>): void {
    if (typeof pid !== 'string' || (typeof activity !== 'string' && activity !== null)) return;
    this.#setActivity(pid, activity);
    if (activity === null) this.#elsewhere.delete(pid);
    else this.#elsewhere.add(pid);
  }

  /** No other replica is connected any more: what they were doing is not known. */
  nobodyElse(): void {
    for (const pid of this.#elsewhere) this.#setActivity(pid, null);
    this.#elsewhere.clear();
  }

  stop(): void {
    this.#cancelSweep?.();
  }

  /** Starts again what a restart cut off. */
  async resumeAll(): Promise<void> {
    const resume = async (pid: string, conversationId: string): Promise<void> => {
      const row = this.row(pid);
      const known = row && this.conversations.get(pid, conversationId);
      if (known) (await this.open(row, conversationId)).resume();
    };
    const { work, states, self } = this.#parts;
    // An imported file may say that it goes on here.
    const said = states.active().filter(({ writer }) => writer === self.index);
    const cutOff = [...work.conversations(), ...said];
    await Promise.all(cutOff.map(({ pid, conversationId }) => resume(pid, conversationId)));
  }

  /**
   * Opens what is said to run, here or elsewhere: a run that this replica began a moment before it was killed may be
   * known to the room alone, and others may have asked something of it. What is not its own is closed again by itself.
   */
  async lookAround(): Promise<void> {
    const { states, self } = this.#parts;
    const busy = this.rows().filter(({ pid, state }) => isActive(state) || states.activeIn(pid).length > 0);
    const look = async (row: ProcessRow): Promise<void> => {
      await this.process(row).busy();
      for (const { conversationId, writer } of states.activeIn(row.pid))
        if (writer === self.index) (await this.open(row, conversationId)).resume();
    };
    await Promise.all(busy.map((row) => look(row).catch(() => {})));
  }

  /** Forgets a process that was killed; its row stays as a marker that its pid is used up. */
  remove(pid: string, now: number): void {
    this.#open.get(pid)?.close();
    this.#open.delete(pid);
    this.#activity.delete(pid);
    this.conversations.removeAll(pid);
    this.#parts.states.forget(pid);
    this.#parts.tables.processes.patch(pid, { state: 'killed', updatedAt: now });
  }

  #made(row: ProcessRow): Process {
    const { states, clock } = this.#parts;
    return new Process({
      pid: row.pid,
      rows: this.conversations,
      states,
      clock,
      start: (conversationId, process) => this.#start(row, conversationId, process),
    });
  }

  async #start(row: ProcessRow, conversationId: string, process: Process): Promise<Dialogue> {
    const { documents, states, self, work, leases, room, frames, clock, random, partsFor } = this.#parts;
    const { pid } = row;
    const place = { pid, conversationId };
    const conversation = await Conversation.open(documents, pid, conversationId, self, {
      caughtUp: (name) => this.#caughtUp(name),
      later: (run) => clock.after(DISK_RETRY_MS, run),
    });
    const flush = (): Promise<void> => documents.flush();
    const hold = new Hold({
      name: leaseName(pid),
      leases,
      documents: room,
      clock,
      conversation,
      connections: () => work.connections,
      shared: process.shared,
    });
    return new Dialogue({
      ...partsFor(row, conversationId),
      pid,
      conversationId,
      conversation,
      slot: process.slot,
      hold,
      requests: new Requests({ doc: conversation.doc, self: self.id, clock, random, flush }),
      takeBack: (runId) => states.takeBack(place, runId),
      counted: () => states.own(pid, conversationId)?.queuedCount ?? 0,
      say: (what) => {
        const { generation, queue } = conversation;
        const ended = what.state !== undefined && !isActive(what.state);
        const messageCount = ended ? { messageCount: conversation.count } : {};
        const queuedCount = queue.rows().length;
        const runId = conversation.own.run.get()?.runId;
        const run = runId === undefined ? {} : { runId };
        const said = { ...place, generation, queuedCount, ...messageCount, ...run, ...what };
        // One that was killed elsewhere stays so.
        if (this.row(pid)) states.say(said, hold.standing);
        work.note(pid, conversationId, said);
      },
      settle: () => work.settle(pid, conversationId),
      onActivity: (activity) => {
        if (!process.acts(conversationId, activity) || activity === this.activity(pid)) return;
        this.#setActivity(pid, activity);
        if (!this.conversations.isPrivate(pid, conversationId))
          frames.send(row.uid, ACTIVITY, { pid, activity });
      },
    });
  }

  /** Closes what nobody has used for a while: its documents need not be kept alike with the room's then. */
  async #sweep(): Promise<void> {
    const { clock } = this.#parts;
    this.#cancelSweep = null;
    for (const [pid, process] of [...this.#open]) {
      await process.sweep();
      if (process.isClosed) this.#open.delete(pid);
    }
    if (this.#open.size > 0) this.#cancelSweep = clock.after(SWEEP_MS, () => void this.#sweep());
  }

  async #caughtUp(name: string): Promise<boolean> {
    const { room, clock } = this.#parts;
    if (!room.joined) return true;
    return room.connected && soon(clock, (signal) => room.synced(name, signal));
  }

  #setActivity(pid: string, activity: string | null): void {
    if (activity === null) this.#activity.delete(pid);
    else this.#activity.set(pid, activity);
    for (const listener of this.#listeners) listener(pid);
  }
}
