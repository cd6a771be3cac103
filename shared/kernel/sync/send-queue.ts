/** What may be on its way unconfirmed: the rest waits, so that a slow link still answers other calls in time. */
const WINDOW_BYTES = 2 * 1024 * 1024;

/** Something to be sent, and how many bytes that takes. */
export type Sendable = { readonly length: number };

export type SendQueueParts<Change, Message extends Sendable> = {
  /**
   * Resolves when everything changed until now is on this replica's disk, or, where the disk refused at first, everything
   * until its last call of `trying`. Must not reject.
   */
  written(trying: () => void): Promise<void>;
  /** What is said of changes that one write has brought to the disk. Must not reject. */
  make(changes: readonly Change[]): Promise<readonly Message[]> | readonly Message[];
  send(message: Message): void;
};

/**
 * Changes on their way to the room. Invariant: nothing is sent that is not on this disk: a kill would make the replica
 * forget what others know of it.
 */
export class SendQueue<Change, Message extends Sendable> {
  readonly #parts: SendQueueParts<Change, Message>;
  /** Messages that are on the disk and wait for their turn. */
  readonly #queue: Message[] = [];
  /** Changes that are not known to be on the disk, oldest first. */
  readonly #unwritten: Change[] = [];
  /** Not confirmed, oldest first. */
  readonly #flying: Message[] = [];
  #bytesFlying = 0;
  #writing = false;
  #over = false;

  constructor(parts: SendQueueParts<Change, Message>) {
    this.#parts = parts;
  }

  /** Changes and messages that the room has not confirmed. */
  get waiting(): number {
    return this.#unwritten.length + this.#queue.length + this.#flying.length;
  }

  /** The oldest message that the room has not confirmed. */
  get next(): Message | undefined {
    return this.#flying[0];
  }

  /** Messages that the room has not confirmed, in order. */
  get unconfirmed(): Message[] {
    return [...this.#flying, ...this.#queue];
  }

  add(change: Change): void {
    this.#unwritten.push(change);
    if (!this.#writing) void this.#sendWritten();
  }

  /** The room has stored the oldest message that it had not confirmed; undefined when there is none. */
  confirm(): Message | undefined {
    const message = this.#flying.shift();
    this.#bytesFlying -= message?.length ?? 0;
    this.#pump();
    return message;
  }

  stop(): void {
    this.#over = true;
  }

  /** What one write has brought to the disk goes out together: what the disk refused never without what took it back. */
  async #sendWritten(): Promise<void> {
    this.#writing = true;
    // The rest of what is being done now shares the write.
    await Promise.resolve();
    while (this.#unwritten.length > 0 && !this.#over) {
      let { length } = this.#unwritten;
      await this.#parts.written(() => {
        length = this.#unwritten.length;
      });
      // Counted as waiting until they are messages.
      const messages = await this.#parts.make(this.#unwritten.slice(0, length));
      this.#unwritten.splice(0, length);
      this.#queue.push(...messages);
      this.#pump();
    }
    this.#writing = false;
  }

  #pump(): void {
    while (!this.#over && this.#bytesFlying < WINDOW_BYTES) {
      const message = this.#queue.shift();
      if (!message) return;
      this.#flying.push(message);
      this.#bytesFlying += message.length;
      this.#parts.send(message);
    }
  }
}
