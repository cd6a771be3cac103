import type * as Y from 'yjs';
import { QueueRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';

/** Messages that wait for their run, in order. Any replica adds; who holds the process takes. */
export class Queue {
  readonly #table: Table<typeof QueueRow>;
  readonly #writer: () => number;
  #newest = 0;

  constructor(doc: Y.Doc, writer: () => number) {
    this.#table = new Table(doc, 'queue', QueueRow);
    this.#writer = writer;
  }

  /** Of a message that two replicas were given apart, the first. */
  rows(): QueueRow[] {
    const rows = this.keys().flatMap((key) => this.#table.get(key) ?? []);
    const ids = new Set<string>();
    return rows.filter(({ messageId }) => !ids.has(messageId) && ids.add(messageId));
  }

  keys(): string[] {
    return this.#table.keys().sort();
  }

  get(key: string): QueueRow | undefined {
    return this.#table.get(key);
  }

  find(messageId: string): QueueRow | undefined {
    return this.rows().find((row) => row.messageId === messageId);
  }

  /** Puts a message at the end. No two replicas use one key. */
  add(row: QueueRow): void {
    const newest = Number.parseInt(this.keys().at(-1) ?? '0', 10);
    this.#newest = Math.max(newest, this.#newest) + 1;
    const order = String(this.#newest).padStart(8, '0');
    this.#table.put(`${order}-${String(this.#writer()).padStart(4, '0')}`, row);
  }

  /** Takes a message out. Undefined when it is not there any more. */
  take(messageId: string): QueueRow | undefined {
    const taken = this.find(messageId);
    for (const [key, row] of [...this.#table.entries()])
      if (row.messageId === messageId) this.#table.delete(key);
    return taken;
  }

  /** Calls back with the keys that changed. The returned function ends it. */
  observe(changed: (keys: string[]) => void): () => void {
    return this.#table.observe((keys) => changed([...keys]));
  }
}
