import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { Table } from '../../state/table.ts';

/** A message that was delivered under an id of its cause. `begun`: it stands in the history, or stood there. */
const DeliveredRow = Type.Object({
  runId: Type.String(),
  at: Type.Integer({ minimum: 0 }),
  begun: Type.Boolean(),
});
type DeliveredRow = Static<typeof DeliveredRow>;

/** Of more than the first number the oldest are forgotten, down to the second: causes repeat soon or never. */
const MOST = 1_500;
const KEPT = 1_000;

/**
 * Which messages a conversation has been given under ids that may come again: a tick that two replicas act on, a reply
 * that is told once more after a kill. It outlives the messages, also through a reset.
 */
export class Delivered {
  readonly #rows: Table<typeof DeliveredRow>;

  constructor(doc: Y.Doc) {
    this.#rows = new Table(doc, 'delivered', DeliveredRow);
  }

  get(messageId: string): DeliveredRow | undefined {
    return this.#rows.get(messageId);
  }

  put(messageId: string, runId: string, at: number): void {
    this.#rows.put(messageId, { runId, at, begun: false });
    if (this.#rows.size > MOST) this.#forgetOldest();
  }

  /** These are in the history from now on; those that were not delivered under an id are passed over. */
  begun(messageIds: readonly (string | undefined)[]): void {
    for (const messageId of messageIds)
      if (messageId !== undefined) this.#rows.patch(messageId, { begun: true });
  }

  forget(messageId: string): void {
    this.#rows.delete(messageId);
  }

  #forgetOldest(): void {
    const oldest = [...this.#rows.entries()].sort(([, a], [, b]) => a.at - b.at);
    for (const [messageId] of oldest.slice(0, oldest.length - KEPT)) this.#rows.delete(messageId);
  }
}
