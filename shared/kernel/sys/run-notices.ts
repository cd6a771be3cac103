import type { ProcessRow, SystemTables } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import { APPROVAL_NOTICE, RUN_NOTICE } from '../../syscalls/notice-kinds.ts';
import type { ProcessStates } from '../proc/process-states.ts';
import type { Attention } from './attention.ts';
import type { Notice, Notifications } from './notifications.ts';

/** A run that took so long is worth telling about. */
const LONG_MS = 60_000;
/** Whoever looks at the conversation answers a question without being told of it. */
const GRACE_MS = 5_000;
const SETTLE_MS = 1_000;

export type RunNoticesParts = {
  tables: Pick<SystemTables, 'processes' | 'notifications'>;
  processStates: ProcessStates;
  notifications: Pick<Notifications, 'notifyUser' | 'settle'>;
  attention: Pick<Attention, 'on'>;
  clock: Clock;
};

/**
 * Tells a person who is not looking that an approval waits, and that a long run has ended: once for each cause, on
 * whichever replica it is seen. They say nothing of what was written or read: a notification is shown on locked screens.
 */
export class RunNotices {
  readonly #parts: RunNoticesParts;
  readonly #startedAt = new Map<string, number>();
  /** The open question of a run of this replica, by process: the id of its notice. */
  readonly #asked = new Map<string, string>();

  constructor(parts: RunNoticesParts) {
    this.#parts = parts;
    parts.processStates.observe((rows) => {
      for (const { pid } of rows) if (!this.#waits(pid)) this.#leftWaiting(pid);
    });
  }

  /** What a run of this replica says of itself. Must not throw. */
  heard(row: ProcessRow, signal: string, payload: Record<string, unknown>): void {
    const { clock } = this.#parts;
    const { runId, requestId, startedAt } = payload;
    if (signal === 'proc.run.started' && typeof runId === 'string')
      this.#startedAt.set(runId, typeof startedAt === 'number' ? startedAt : clock.now());
    if (signal === 'proc.run.hil.requested' && typeof requestId === 'string')
      this.#asks(row, requestId, String(payload.toolName));
    if (signal === 'proc.run.finished' && typeof runId === 'string')
      this.#finished(row, runId, String(payload.status));
  }

  #asks(row: ProcessRow, requestId: string, tool: string): void {
    const id = `${APPROVAL_NOTICE}${causeId('approval', requestId)}`;
    this.#answered(row.pid);
    this.#asked.set(row.pid, id);
    this.#parts.clock.after(GRACE_MS, () => {
      if (this.#asked.get(row.pid) !== id || this.#parts.attention.on(row.pid)) return;
      this.#tell(row, {
        id,
        level: 'warning',
        title: `“${this.#title(row)}” waits for your approval`,
        body: `It wants to use ${tool}, and goes on when you have decided.`,
      });
    });
  }

  #finished(row: ProcessRow, runId: string, status: string): void {
    const { clock, attention } = this.#parts;
    const took = clock.now() - (this.#startedAt.get(runId) ?? clock.now());
    this.#startedAt.delete(runId);
    if (status === 'aborted' || took < LONG_MS || attention.on(row.pid)) return;
    const well = status === 'ok';
    this.#tell(row, {
      id: `${RUN_NOTICE}${causeId('finished', runId)}`,
      level: well ? 'success' : 'error',
      title: `“${this.#title(row)}” ${well ? 'has finished' : 'has stopped with an error'}`,
      body: `It worked for ${minutes(took)}.`,
    });
  }

  #tell(row: ProcessRow, notice: Notice): void {
    this.#parts.notifications.notifyUser(row.uid, { ...notice, pid: row.pid });
  }

  /** After a restart a run says that it goes on, and then that it still waits. */
  #leftWaiting(pid: string): void {
    this.#asked.delete(pid);
    if (this.#open(pid).length === 0) return;
    this.#parts.clock.after(SETTLE_MS, () => {
      if (!this.#waits(pid)) this.#answered(pid);
    });
  }

  /** What was asked is decided, here or elsewhere: its notice is over. */
  #answered(pid: string): void {
    this.#asked.delete(pid);
    for (const id of this.#open(pid)) this.#parts.notifications.settle(id);
  }

  /** Ids of what a person was told of questions of this process. */
  #open(pid: string): string[] {
    const rows = this.#parts.tables.notifications.rows();
    return rows
      .filter(({ notificationId: id, dismissedAt }) => dismissedAt === null && id.startsWith(APPROVAL_NOTICE))
      .filter(({ source }) => source.kind === 'process' && source.processId === pid)
      .map(({ notificationId }) => notificationId);
  }

  #waits(pid: string): boolean {
    const { tables, processStates } = this.#parts;
    const row = tables.processes.get(pid);
    return row !== undefined && processStates.joined(row).state === 'waiting';
  }

  #title({ pid, label, profile }: ProcessRow): string {
    const now = this.#parts.tables.processes.get(pid)?.label ?? label;
    return now ?? (profile === 'init' ? 'Home' : profile);
  }
}

function minutes(ms: number): string {
  const whole = Math.round(ms / 60_000);
  return whole < 60 ? `${whole} ${whole === 1 ? 'minute' : 'minutes'}` : `${(whole / 60).toFixed(1)} hours`;
}
