import { SyscallError } from '../../shared/protocol/errors.ts';
import { type Deferred, deferred } from '../../shared/std/deferred.ts';

/** So many are written without waiting for more. */
const BATCH = 256;

type Waiting<Item> = { item: Item; answer: Deferred<number> };
/** How one item of a write came out: the log's number, or why it was refused. */
export type Written = number | Error;

export type WriteQueueParts<Item> = {
  /** What reaches the host by the time this resolves shares the next write. */
  turn(): Promise<void>;
  /** Writes them, in order, and answers for each. Rejects when none was written. */
  write(items: readonly Item[]): Promise<readonly Written[]>;
  /** After each write, before the next. Must not reject. */
  after(): Promise<void>;
};

/**
 * Writes to one log, in the order in which they were asked for; those that come while a write is going on share the
 * next one.
 */
export class WriteQueue<Item> {
  readonly #parts: WriteQueueParts<Item>;
  #waiting: Waiting<Item>[] = [];
  /** Settles when nothing is being written and nobody holds writes back; null when that is so. */
  #busy: Promise<void> | null = null;
  #ended: string | null = null;

  constructor(parts: WriteQueueParts<Item>) {
    this.#parts = parts;
  }

  /** Whether something is being written. */
  get busy(): boolean {
    return this.#busy !== null;
  }

  /** Resolves with the log's number. Rejects with SyscallError 410 after the end. */
  async add(item: Item): Promise<number> {
    if (this.#ended !== null) throw new SyscallError(410, this.#ended);
    const answer = deferred<number>();
    this.#waiting.push({ item, answer });
    this.#write();
    return answer.promise;
  }

  /** Lets the write that is going on end, and holds back further ones until the returned function is called. */
  async hold(): Promise<() => void> {
    while (this.#busy) await this.#busy;
    const held = deferred<void>();
    this.#busy = held.promise;
    return () => {
      this.#busy = null;
      held.resolve();
      this.#write();
    };
  }

  /** Nothing can be written any more; what waits to be is refused. False when it was ended before. */
  end(reason: string): boolean {
    if (this.#ended !== null) return false;
    this.#ended = reason;
    for (const { answer } of this.#waiting.splice(0)) answer.reject(new SyscallError(410, reason));
    return true;
  }

  #write(): void {
    if (this.#busy || this.#waiting.length === 0) return;
    this.#busy = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#writeBatch(this.#waiting.splice(0));
      await this.#parts.after();
    }
    this.#busy = null;
  }

  /** A write stops the host: what has reached it already is taken along, and what was said leaves it first. */
  async #gather(): Promise<void> {
    for (let had = 0; this.#waiting.length > had && had < BATCH; ) {
      had = this.#waiting.length;
      await this.#parts.turn();
    }
  }

  async #writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      const written = await this.#parts.write(batch.map(({ item }) => item));
      batch.forEach(({ answer }, at) => {
        const outcome = written[at];
        if (typeof outcome === 'number') answer.resolve(outcome);
        else answer.reject(outcome);
      });
    } catch (thrown) {
      for (const { answer } of batch) answer.reject(thrown);
    }
  }
}
