import { table } from '../../../shared/syscalls/table.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { PageCall } from './page.ts';

/** A replica did something in the name of a run: began a model request, or sent a device call. */
export type Act = {
  at: number;
  order: number;
  replica: string;
  run: string;
  what: string;
  /** Whether it had a link to the room, as far as it knew. */
  linked: boolean;
};
/** The room gave a lease. */
export type Grant = {
  at: number;
  order: number;
  replica: string;
  lease: string;
  epoch: number;
  forced: boolean;
  /** When its holder gave it back, or died; in the order of acts and grants. */
  releasedOrder: number | null;
};
export type Execution = { at: number; call: string; text: string; key: string | undefined };
export type MadeCall = { at: number; replica: string; call: PageCall };

/** What a run of the simulation saw from outside. Invariants judge it at the end. */
export class Witness {
  readonly #timeline: Timeline;
  readonly calls: MadeCall[] = [];
  readonly acts: Act[] = [];
  readonly grants: Grant[] = [];
  readonly executions: Execution[] = [];
  /** What went wrong at once. */
  readonly broken: string[] = [];
  /** How often models were asked what, by the last thing that was said. */
  readonly requests = new Map<string, number>();
  /** What was wrong with what models were given. */
  readonly malformed: string[] = [];
  /** Tokens of tool calls that the models have made, by the tool. */
  readonly toolCalls: { token: string; tool: string; native: boolean }[] = [];
  readonly #started = new Map<string, string>();
  #order = 0;
  log: (line: string) => void = () => {};
  isLinked: (replica: string) => boolean = () => true;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  broke(what: string): void {
    this.broken.push(what);
    this.log(`broken: ${what}`);
  }

  called(replica: string, call: PageCall): void {
    this.calls.push({ at: this.#timeline.now, replica, call });
    if (table[call.name].effect === 'read') return;
    void call.done.then((outcome) => this.log(`${replica} ${call.name}: ${JSON.stringify(outcome)}`));
  }

  /** A signal on its way to a page of a replica. */
  heard(replica: string, signal: string, payload: Record<string, unknown>): void {
    const { event, pid, runId } = payload as { event?: { type?: string }; pid?: unknown; runId?: unknown };
    if (signal === 'proc.run.stream' && event?.type === 'start') {
      this.#started.set(`${replica} ${String(pid)}`, String(runId));
    }
  }

  /**
   * A model is asked. A runner tells its pages in the same breath that a message starts, so the run is known; where no
   * page is attached yet, `otherwise` may know it.
   */
  asked(replica: string, pid: string, otherwise: string | undefined): void {
    const run = this.#started.get(`${replica} ${pid}`) ?? otherwise;
    this.#started.delete(`${replica} ${pid}`);
    if (run !== undefined) this.acted(replica, `${pid}:${run}`, 'model');
  }

  acted(replica: string, run: string, what: string): void {
    const linked = this.isLinked(replica);
    this.acts.push({ at: this.#timeline.now, order: this.#next(), replica, run, what, linked });
    this.log(`${replica} acts for ${run}: ${what}`);
  }

  granted(replica: string, lease: string, epoch: number, forced: boolean): void {
    const order = this.#next();
    this.grants.push({ at: this.#timeline.now, order, replica, lease, epoch, forced, releasedOrder: null });
  }

  /** A holder gives a lease back; all of its leases when none is named. */
  released(replica: string, lease?: string): void {
    const order = this.#next();
    for (const grant of this.grants) {
      if (grant.replica !== replica || grant.releasedOrder !== null) continue;
      if (lease === undefined || grant.lease === lease) grant.releasedOrder = order;
    }
  }

  executed(call: string, text: string, key: string | undefined): void {
    this.executions.push({ at: this.#timeline.now, call, text, key });
    this.log(`device did ${call} ${text}`);
  }

  #next(): number {
    this.#order += 1;
    return this.#order;
  }
}
