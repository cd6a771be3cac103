import type * as Y from 'yjs';
import { type QueueChange, QueueRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';

type Entry = { key: string; row: QueueRow };
export type QueueEdit = QueueChange & Pick<QueueRow, 'interrupts'>;

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
    return this.#entries().map(({ row }) => row);
  }

  /** In order. */
  keys(): string[] {
    return this.#entries().map(({ key }) => key);
  }

  get(key: string): QueueRow | undefined {
    return this.#table.get(key);
  }

  find(messageId: string): QueueRow | undefined {
    return this.#entry(messageId)?.row;
  }

  /** Puts a message at the end, or, when it ends a run, before all that do not. No two replicas use one key. */
  add(row: QueueRow): void {
    const newest = Math.max(0, ...this.#table.keys().map(orderOf));
    this.#newest = Math.max(newest, this.#newest) + 1;
    const order = String(this.#newest).padStart(8, '0');
    const rank = this.#rankBefore(row.interrupts ? this.#firstWaiting() : null);
    const ranked = rank === this.#newest ? row : { ...row, rank };
    this.#table.put(`${order}-${String(this.#writer()).padStart(4, '0')}`, ranked);
  }

  /** Changes a message that waits. False when it is not there any more. */
  change(messageId: string, { text, mode, before, interrupts }: QueueEdit): boolean {
    const entry = this.#entry(messageId);
    if (!entry) return false;
    const { interrupts: stopped, ...row } = entry.row;
    const stops = mode === undefined ? stopped : interrupts;
    const place = before === undefined && interrupts ? this.#firstWaiting() : before;
    const moved =
      place === undefined || place === messageId ? {} : { rank: this.#rankBefore(place, messageId) };
    const said = { ...(text === undefined ? {} : { text }), ...(mode ? { mode } : {}) };
    this.#table.put(entry.key, { ...row, ...said, ...moved, ...(stops ? { interrupts: stops } : {}) });
    return true;
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

  #entries(): Entry[] {
    const all = Array.from(this.#table.entries(), ([key, row]): Entry => ({ key, row }));
    all.sort((a, b) => rankOf(a) - rankOf(b) || (a.key < b.key ? -1 : 1));
    const ids = new Set<string>();
    return all.filter(({ row: { messageId } }) => !ids.has(messageId) && ids.add(messageId));
  }

  #entry(messageId: string): Entry | undefined {
    return this.#entries().find(({ row }) => row.messageId === messageId);
  }

  /** The first that ends no run. */
  #firstWaiting(): string | null {
    return this.rows().find(({ interrupts }) => interrupts === undefined)?.messageId ?? null;
  }

  /** Between a message and the one before it; `moving` is not counted. Null, or nobody any more: the end. */
  #rankBefore(messageId: string | null, moving?: string): number {
    const others = this.#entries().filter(({ row }) => row.messageId !== moving);
    const at = others.findIndex(({ row }) => row.messageId === messageId);
    const next = others[at];
    if (!next) return this.#rankAtEnd();
    const before = others[at - 1];
    return before ? (rankOf(before) + rankOf(next)) / 2 : rankOf(next) - 1;
  }

  #rankAtEnd(): number {
    return Math.max(this.#newest, 1 + Math.max(0, ...this.#entries().map(rankOf)));
  }
}

const orderOf = (key: string): number => Number.parseInt(key, 10);
const rankOf = ({ key, row }: Entry): number => row.rank ?? orderOf(key);
