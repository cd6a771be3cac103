import type { CallRow } from '../../state/ipc.ts';
import type { ProcessRow, SystemTables, TaskOutcome } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import type { Conversation } from '../proc/conversation.ts';
import type { Signals } from '../signals.ts';
import type { Courier } from './courier.ts';
import { type Outcome, replyEvent, timeoutEvent } from './envelopes.ts';
import { hopsIn } from './hops.ts';

/** Another replica has the seat, or nobody can say: deadlines are looked at again after so long. */
const LATER_MS = 15_000;
/** The longest that a timer is asked to wait. */
const LONGEST_MS = 24 * 3_600_000;

/** How a run ended, while that is being written. */
export type Ending = Outcome & { conversation: Conversation };

export type CallsParts = {
  tables: Pick<SystemTables, 'ipcCalls' | 'processes'>;
  courier: Courier;
  signals: Signals;
  clock: Clock;
  self: string;
  /** Whether this replica can hear of others at all. */
  apart(): boolean;
  /** Does work for the whole GSV, unless another replica does. */
  during(work: () => Promise<void>): Promise<boolean>;
  /** The deadline of a delegate has come. */
  stopChild(call: CallRow): void;
};

/**
 * Calls between processes: rows with a deadline, and one timer for the next. Each ends once for who waits: by the answer,
 * by the end of who was asked, or by its deadline. Whoever is asked and waits for others itself answers when it has heard
 * from all of them.
 */
export class Calls {
  readonly #parts: CallsParts;
  #cancel: (() => void) | null = null;
  #stopped = true;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Queues a call; it is on disk with what is queued beside it. */
  put(row: CallRow): void {
    this.#parts.tables.ipcCalls.put(row.callId, row);
  }

  get(callId: string): CallRow | undefined {
    return this.#parts.tables.ipcCalls.get(callId);
  }

  /** Those that a process waits for. */
  from(pid: string): CallRow[] {
    return this.#parts.tables.ipcCalls.rows().filter(({ sourcePid }) => sourcePid === pid);
  }

  /** Nobody was asked after all. */
  forget(callId: string): void {
    this.#parts.tables.ipcCalls.delete(callId);
  }

  start(): void {
    const { tables, signals } = this.#parts;
    this.#stopped = false;
    tables.ipcCalls.observe(() => this.#arm());
    tables.processes.observe((pids) => {
      for (const pid of pids) if (tables.processes.get(pid)?.state === 'killed') this.#gone(pid);
    });
    signals.observe(({ signal, payload }) => {
      if (signal === 'proc.changed' && isReset(payload)) this.#emptied(payload);
    });
    for (const { pid, sourcePid } of tables.ipcCalls.rows())
      for (const one of [pid, sourcePid]) if (!this.#alive(one)) this.#gone(one);
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** A run has ended; called in the write of its end, so that its answer is on disk with it. */
  ended(pid: string, conversationId: string, { conversation, status, text }: Ending): void {
    if (status === 'ok' && this.#waits(pid, conversation)) return;
    for (const call of this.#to(pid, conversationId)) {
      if (conversation.delivered.get(call.messageId)?.begun) this.#answer(call, { status, text });
    }
  }

  #to(pid: string, conversationId?: string): CallRow[] {
    return this.#parts.tables.ipcCalls
      .rows()
      .filter(
        (call) =>
          call.pid === pid && (conversationId === undefined || call.conversationId === conversationId),
      );
  }

  /** Whether there is more for a process to hear before it can answer. */
  #waits(pid: string, { queue }: Conversation): boolean {
    return (
      this.from(pid).length > 0 ||
      this.#parts.courier.waits(pid) ||
      queue.rows().some(({ origin }) => origin === 'event')
    );
  }

  #answer(call: CallRow, outcome: Outcome): void {
    this.#end(call, replyEvent(call, this.#named(call.pid), outcome), outcome.status);
  }

  #end(call: CallRow, text: string, outcome: TaskOutcome): void {
    const { callId, uid, sourcePid: pid, sourceConversationId: conversationId } = call;
    this.forget(callId);
    this.#finishTask(call, outcome);
    if (!this.#alive(pid)) return;
    const messageId = causeId('ipc', `${callId}/end`);
    this.#parts.courier.post({ messageId, uid, pid, conversationId, text, ...hopsIn(call) });
  }

  /** A child that was made for one task has done it, or never will. */
  #finishTask({ callId, pid, kind }: CallRow, outcome: TaskOutcome): void {
    const task = this.#parts.tables.processes.get(pid)?.task;
    if (kind !== 'delegate' || task?.callId !== callId) return;
    const endedAt = this.#parts.clock.now();
    this.#parts.tables.processes.patch(pid, { task: { ...task, outcome, endedAt } });
  }

  /** A process was ended: who waits for it is told, and what it waited for is of no interest. */
  #gone(pid: string): void {
    for (const call of this.from(pid)) this.forget(call.callId);
    for (const call of this.#to(pid)) this.#answer(call, { status: 'gone', text: 'It was ended.' });
  }

  #emptied({ pid, conversationId }: Record<string, unknown>): void {
    for (const call of this.#to(String(pid), String(conversationId)))
      this.#answer(call, { status: 'gone', text: 'Its conversation was reset.' });
  }

  #alive(pid: string): boolean {
    const row = this.#parts.tables.processes.get(pid);
    return row !== undefined && row.state !== 'killed';
  }

  #named(pid: string): Pick<ProcessRow, 'pid' | 'label'> {
    return this.#parts.tables.processes.get(pid) ?? { pid, label: null };
  }

  #arm(least = 0): void {
    this.#cancel?.();
    this.#cancel = null;
    const rows = this.#parts.tables.ipcCalls.rows();
    if (this.#stopped || rows.length === 0) return;
    const { clock } = this.#parts;
    const next = Math.min(...rows.map(({ deadlineAt }) => deadlineAt)) - clock.now();
    const ms = Math.min(Math.max(next, least), LONGEST_MS);
    this.#cancel = clock.after(ms, () => void this.#expire());
  }

  async #expire(): Promise<void> {
    this.#cancel = null;
    const { during, apart, self } = this.#parts;
    const done = await during(async () => this.#timeOut(() => true)).catch(() => false);
    // Cut off, this replica goes on for itself.
    if (!done && apart()) this.#timeOut(({ by }) => by === self);
    this.#arm(done ? 0 : LATER_MS);
  }

  #timeOut(which: (call: CallRow) => boolean): void {
    const { tables, clock, stopChild } = this.#parts;
    const now = clock.now();
    for (const call of tables.ipcCalls.rows()) {
      if (call.deadlineAt > now || !which(call)) continue;
      this.#end(call, timeoutEvent(call, this.#named(call.pid)), 'timeout');
      if (call.kind === 'delegate') stopChild(call);
    }
  }
}

function isReset({ changes }: Record<string, unknown>): boolean {
  return Array.isArray(changes) && changes.includes('reset');
}
