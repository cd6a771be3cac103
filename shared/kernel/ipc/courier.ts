import { SyscallError } from '../../protocol/errors.ts';
import type { EventRow } from '../../state/ipc.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Processes } from '../proc/processes.ts';

import { hopsIn } from './hops.ts';

/** What another replica was to tell is told here after so long. */
const LEFT_MS = 10_000;
/** Between tries while the disk refuses. */
const RETRY_MS = 5_000;

export type CourierParts = {
  tables: Pick<SystemTables, 'events'>;
  processes: Pick<Processes, 'deliver'>;
  /** This replica's id. */
  self: string;
  /** Does work for the whole GSV, unless another replica does. */
  during(work: () => Promise<void>): Promise<boolean>;
  clock: Clock;
  /** An event has arrived, or never will. */
  settled(row: EventRow, error: string | null): void;
};

/**
 * Tells processes what they have yet to be told. Its rows are written with their causes, so that a kill loses none; the
 * process drops what it has been told before, so that none is told twice.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #going = new Set<string>();
  #cancel: (() => void) | null = null;
  #stopped = true;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Queues an event; it is on disk with what is queued beside it. */
  post(row: Omit<EventRow, 'at' | 'by'>): void {
    const { tables, clock, self } = this.#parts;
    tables.events.put(row.messageId, { ...row, at: clock.now(), by: self });
  }

  /** Whether a process has yet to be told something. */
  waits(pid: string): boolean {
    return this.#parts.tables.events.rows().some((row) => row.pid === pid);
  }

  start(): void {
    this.#stopped = false;
    this.#parts.tables.events.observe(() => this.#look());
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** Tells what is this replica's to tell, and looks again when another's is left. */
  #look(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#stopped) return;
    const { tables, clock, self } = this.#parts;
    const rows = tables.events.rows().filter(({ messageId }) => !this.#going.has(messageId));
    for (const row of rows) if (row.by === self) void this.#tell(row);
    const left = rows.filter(({ by }) => by !== self);
    if (left.length === 0) return;
    const next = Math.min(...left.map(({ at }) => at + LEFT_MS));
    this.#cancel = clock.after(Math.max(RETRY_MS, next - clock.now()), () => void this.#tellLeft());
  }

  async #tellLeft(): Promise<void> {
    this.#cancel = null;
    const { tables, clock, during } = this.#parts;
    const now = clock.now();
    const isLeft = ({ at, messageId }: EventRow): boolean =>
      at + LEFT_MS <= now && !this.#going.has(messageId);
    await during(async () => {
      for (const row of tables.events.rows().filter(isLeft)) await this.#tell(row);
    }).catch(() => {});
    this.#look();
  }

  async #tell(row: EventRow): Promise<void> {
    const { messageId, pid, conversationId, text } = row;
    this.#going.add(messageId);
    const error = await this.#parts.processes
      .deliver(pid, { messageId, text, origin: 'event', conversationId, ...hopsIn(row) })
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    if (error !== null && !isFinal(error)) return this.#again(messageId);
    this.#going.delete(messageId);
    this.#parts.tables.events.delete(messageId);
    this.#parts.settled(row, error === null ? null : String((error as Error).message));
  }

  #again(messageId: string): void {
    this.#parts.clock.after(RETRY_MS, () => {
      this.#going.delete(messageId);
      this.#look();
    });
  }
}

/** Whether trying again is of no use: there is no such process, or no such conversation. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof SyscallError && thrown.code !== 503 && thrown.code !== 507;
}
