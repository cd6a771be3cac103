import type * as Y from 'yjs';
import { type Ask, type Outcome, RequestRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import type { Clock } from '../../std/clock.ts';
import { Condition } from '../../std/condition.ts';
import type { Random } from '../../std/random.ts';

/** How long an owner has to carry a request out before its asker is told that it cannot be reached. */
const ANSWER_MS = 10_000;

export type RequestsParts = {
  doc: Y.Doc;
  /** This replica's id. */
  self: string;
  clock: Clock;
  random: Random;
  flush(): Promise<void>;
};

/**
 * What replicas ask of the owner of a run, as rows: they survive restarts of both and wait for an owner that is away.
 * The owner carries each out once.
 */
export class Requests {
  readonly #parts: RequestsParts;
  readonly #rows: Table<typeof RequestRow>;
  readonly #answered = new Condition();
  readonly #serving = new Set<string>();
  readonly #stop: () => void;
  #serve: ((ask: Ask) => Promise<Outcome>) | null = null;

  constructor(parts: RequestsParts) {
    this.#parts = parts;
    this.#rows = new Table(parts.doc, 'requests', RequestRow);
    this.#forgetAnswered();
    this.#stop = this.#rows.observe(() => {
      this.#answered.changed();
      this.#serveAll();
    });
  }

  /** Carries out what is asked of this replica, from now on. `serve` must not reject. */
  serve(serve: (ask: Ask) => Promise<Outcome>): void {
    this.#serve = serve;
    this.#serveAll();
  }

  /** Asks another replica. Null when it has not answered in time: it may carry the request out later. */
  async ask(owner: string, ask: Ask): Promise<Outcome | null> {
    const { self, clock, random, flush } = this.#parts;
    const key = `${owner}/${random.uuid()}`;
    this.#rows.put(key, { from: self, at: clock.now(), ask, outcome: null });
    await flush();
    const late = new AbortController();
    const cancel = clock.after(ANSWER_MS, () => late.abort());
    const outcome = (): Outcome | null => this.#rows.get(key)?.outcome ?? null;
    await this.#answered.until(() => outcome() !== null, late.signal).catch(() => {});
    cancel();
    const answer = outcome();
    if (answer) this.#rows.delete(key);
    return answer;
  }

  /** What was asked of another replica and not carried out is asked of this one: it has taken over. */
  inherit(owner: string): void {
    for (const [key, row] of [...this.#rows.entries()]) {
      if (!key.startsWith(`${owner}/`) || row.outcome !== null) continue;
      this.#rows.delete(key);
      this.#rows.put(`${this.#parts.self}/${key.slice(owner.length + 1)}`, row);
    }
  }

  close(): void {
    this.#stop();
  }

  #serveAll(): void {
    const serve = this.#serve;
    if (!serve) return;
    for (const [key, row] of [...this.#rows.entries()]) {
      if (!key.startsWith(`${this.#parts.self}/`) || row.outcome !== null || this.#serving.has(key)) continue;
      this.#serving.add(key);
      void serve(row.ask).then((outcome) => {
        this.#serving.delete(key);
        this.#rows.patch(key, { outcome });
      });
    }
  }

  /** Answers that nobody waits for any more. */
  #forgetAnswered(): void {
    const { self } = this.#parts;
    for (const [key, row] of [...this.#rows.entries()]) {
      if (row.outcome !== null && (row.from === self || key.startsWith(`${self}/`))) this.#rows.delete(key);
    }
  }
}
