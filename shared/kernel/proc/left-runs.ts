import { isActive } from '../../state/active.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Leases } from '../sync/leases.ts';
import type { OpenWork } from './open-work.ts';
import { leaseName, type Processes } from './processes.ts';
import type { Seat } from './seat.ts';

const CHECK_MS = 30_000;
/** Profiles whose runs nobody watches: they go on elsewhere by themselves. */
const BACKGROUND = ['cron', 'task', 'mcp', 'app'];

export type LeftRunsParts = {
  seat: Seat;
  tables: SystemTables;
  processes: Processes;
  work: OpenWork;
  leases: Leases;
  clock: Clock;
};

/**
 * Takes over background runs whose replica has gone: the holder of the seat goes on with one as soon as its lease has
 * ended. It looks 30 s after processes changed, and again while there are such runs of others: not at the change, for
 * many processes may arrive in one. A process of any kind that is said to run, and does not, is said to be idle: the word
 * of who ended it may have been overwritten by one that knew less.
 */
export class LeftRuns {
  readonly #parts: LeftRunsParts;
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(parts: LeftRunsParts) {
    this.#parts = parts;
    parts.tables.processes.observe(() => this.#watch());
    this.#watch();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #watch(): void {
    if (this.#stopped || this.#cancel) return;
    this.#cancel = this.#parts.clock.after(CHECK_MS, () => void this.#check());
  }

  /** Processes that are said to run, and not by this replica. */
  #runs(): ProcessRow[] {
    const { tables, work } = this.#parts;
    const own = new Set(work.pids());
    return tables.processes.rows().filter(({ pid, state }) => isActive(state) && !own.has(pid));
  }

  async #check(): Promise<void> {
    const left = this.#runs();
    if (left.length > 0) {
      await this.#parts.seat.during(async () => {
        for (const row of left) await this.#takeOver(row).catch(() => {});
      });
    }
    this.#cancel = null;
    if (this.#runs().length > 0) this.#watch();
  }

  async #takeOver(row: ProcessRow): Promise<void> {
    const { processes, leases, tables } = this.#parts;
    if (leases.needed() && (await leases.isHeld(leaseName(row.pid))) !== false) return;
    const dialogues = await processes.process(row).busy();
    const left = dialogues.filter(({ conversation }) => conversation.others().length > 0);
    if (left.length === 0) tables.processes.patch(row.pid, { state: 'idle' });
    if (!BACKGROUND.includes(row.profile)) return;
    for (const dialogue of left) await dialogue.takeOver({ force: false, byPerson: false });
  }
}
