import type { ProcessStateRow } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Leases } from '../sync/leases.ts';
import type { ProcessStates } from './process-states.ts';
import { leaseName, type Processes } from './processes.ts';
import type { Seat } from './seat.ts';
import type { Self } from './surroundings.ts';

const CHECK_MS = 30_000;
/** Profiles whose runs nobody watches: they go on elsewhere by themselves. */
const BACKGROUND = ['cron', 'task', 'mcp', 'app'];

export type LeftRunsParts = {
  seat: Seat;
  states: ProcessStates;
  processes: Processes;
  self: Pick<Self, 'index'>;
  leases: Leases;
  clock: Clock;
};

/**
 * Takes over background runs whose replica has gone: the holder of the seat goes on with one as soon as its lease has
 * ended. It looks 30 s after something was said of a process, and again while there are such runs of others: not at once,
 * for many changes may arrive in one.
 */
export class LeftRuns {
  readonly #parts: LeftRunsParts;
  /** Words of a run that is not there any more: its replica has yet to take them back. */
  readonly #over = new WeakSet<ProcessStateRow>();
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(parts: LeftRunsParts) {
    this.#parts = parts;
    parts.states.observe(() => this.#watch());
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

  /** What other replicas run with nobody watching. */
  #runs(): ProcessStateRow[] {
    const { states, processes, self } = this.#parts;
    return states
      .active()
      .filter((row) => row.writer !== self.index && !this.#over.has(row))
      .filter(({ pid }) => BACKGROUND.includes(processes.row(pid)?.profile ?? ''));
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

  async #takeOver(word: ProcessStateRow): Promise<void> {
    const { processes, leases } = this.#parts;
    const row = processes.row(word.pid);
    if (!row || (leases.needed() && (await leases.isHeld(leaseName(row.pid))) !== false)) return;
    const dialogue = await processes.open(row, word.conversationId);
    if (!(await dialogue.conversation.caughtUp())) return;
    if (dialogue.conversation.others().length === 0) this.#over.add(word);
    else await dialogue.takeOver({ force: false, byPerson: false });
  }
}
