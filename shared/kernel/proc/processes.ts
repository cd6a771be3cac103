import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Documents } from '../documents.ts';
import { Conversation } from './conversation.ts';
import type { OpenWork } from './open-work.ts';
import { Process, type ProcessParts } from './process.ts';

/** The conversation of a process; more than one is a later capability. */
export const DEFAULT_CONVERSATION = 'default';

export type ProcessesParts = {
  tables: SystemTables;
  documents: Documents;
  work: OpenWork;
  /** What a process needs beside its own state. */
  partsFor(
    row: ProcessRow,
  ): Omit<ProcessParts, 'conversation' | 'row' | 'patchRow' | 'onActivity' | 'pid' | 'conversationId'>;
};

/** The processes of this GSV: rows in the `system` document, and those in use kept open. */
export class Processes {
  readonly #parts: ProcessesParts;
  readonly #open = new Map<string, Promise<Process>>();
  readonly #activity = new Map<string, string>();
  readonly #listeners = new Set<(pid: string) => void>();

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
  }

  rows(): ProcessRow[] {
    return this.#parts.tables.processes.rows().filter((row) => row.state !== 'killed');
  }

  row(pid: string): ProcessRow | undefined {
    const row = this.#parts.tables.processes.get(pid);
    return row?.state === 'killed' ? undefined : row;
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

  open(row: ProcessRow): Promise<Process> {
    let opening = this.#open.get(row.pid);
    if (!opening) {
      opening = this.#start(row);
      this.#open.set(row.pid, opening);
      opening.catch(() => this.#open.delete(row.pid));
    }
    return opening;
  }

  /** Starts again what a restart cut off. */
  async resumeAll(): Promise<void> {
    const cutOff = this.#parts.work.pids().flatMap((pid) => this.row(pid) ?? []);
    await Promise.all(cutOff.map(async (row) => (await this.open(row)).resume()));
  }

  /** Forgets a process that was killed; its row stays as a marker that its pid is used up. */
  remove(pid: string, now: number): void {
    this.#open.delete(pid);
    this.#activity.delete(pid);
    this.#parts.tables.processes.patch(pid, { state: 'killed', updatedAt: now });
  }

  async #start(row: ProcessRow): Promise<Process> {
    const { tables, documents, work, partsFor } = this.#parts;
    const conversation = await Conversation.open(documents, row.pid, row.conversationId);
    return new Process({
      ...partsFor(row),
      pid: row.pid,
      conversationId: row.conversationId,
      conversation,
      row: () => tables.processes.get(row.pid),
      patchRow: (changes) => {
        tables.processes.patch(row.pid, changes);
        work.note(row.pid, changes);
      },
      onActivity: (activity) => this.#setActivity(row.pid, activity),
    });
  }

  #setActivity(pid: string, activity: string | null): void {
    if (activity === null) this.#activity.delete(pid);
    else this.#activity.set(pid, activity);
    for (const listener of this.#listeners) listener(pid);
  }
}
