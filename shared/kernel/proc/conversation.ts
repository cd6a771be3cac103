import { type Static, Type } from 'typebox';
import * as Y from 'yjs';
import { Cell } from '../../state/cell.ts';
import {
  ContextRow,
  HilRow,
  LastRow,
  type MessageRow,
  messageKey,
  PartialRow,
  QueueRow,
  ResultRow,
  RunRow,
} from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import type { Documents } from '../documents.ts';
import { MessageLog, type NewMessage } from './message-log.ts';

const Meta = Type.Object({ generation: Type.Integer(), firstId: Type.Integer(), nextQueued: Type.Integer() });

/** What changed in a conversation, for those who show it. */
export type ConversationChange = { messages: MessageRow[]; rows: string[]; reset: boolean };

/**
 * The durable state of one dialogue: messages, queue, the run that is going on, the approval it waits for. Every
 * method that changes something queues it to disk at once; `flush` resolves when all of it is there.
 */
export class Conversation {
  readonly run: Cell<typeof RunRow>;
  readonly hil: Cell<typeof HilRow>;
  readonly partial: Cell<typeof PartialRow>;
  readonly context: Cell<typeof ContextRow>;
  readonly last: Cell<typeof LastRow>;
  /** Outcomes of the run's calls that are done, by call id. */
  readonly results: Table<typeof ResultRow>;
  readonly #meta: Cell<typeof Meta>;
  readonly #queue: Table<typeof QueueRow>;
  readonly #documents: Documents;
  readonly #prefix: string;
  readonly #doc: Y.Doc;
  readonly #listeners = new Set<(change: ConversationChange) => void>();
  #log: MessageLog;

  private constructor(documents: Documents, prefix: string, doc: Y.Doc, log: MessageLog) {
    this.#documents = documents;
    this.#prefix = prefix;
    this.#doc = doc;
    this.#log = log;
    const state = doc.getMap('state');
    this.run = new Cell(state, 'run', RunRow);
    this.hil = new Cell(state, 'hil', HilRow);
    this.partial = new Cell(state, 'partial', PartialRow);
    this.context = new Cell(state, 'context', ContextRow);
    this.last = new Cell(state, 'last', LastRow);
    this.#meta = new Cell(state, 'meta', Meta);
    this.results = new Table(doc, 'results', ResultRow);
    this.#queue = new Table(doc, 'queue', QueueRow);
    state.observe((event) =>
      this.#notify({ messages: [], rows: [...event.keysChanged] as string[], reset: false }),
    );
    this.#queue.observe((keys) =>
      this.#notify({ messages: [], rows: Array.from(keys, (key) => `q:${key}`), reset: false }),
    );
  }

  static async open(documents: Documents, pid: string, conversationId: string): Promise<Conversation> {
    const prefix = `conv/${pid}/${conversationId}/`;
    const doc = await documents.open(`${prefix}state`);
    const { generation, firstId } = new Cell(doc.getMap('state'), 'meta', Meta).get() ?? FIRST_META;
    return new Conversation(
      documents,
      prefix,
      doc,
      await MessageLog.open(documents, prefix, generation, firstId),
    );
  }

  get generation(): number {
    return this.#readMeta().generation;
  }

  get count(): number {
    return this.#log.count;
  }

  get log(): Pick<MessageLog, 'slice' | 'backwards' | 'count'> {
    return this.#log;
  }

  /** Appends messages, in order. `inRows` changes other rows so that disk sees both or neither. */
  async append(messages: NewMessage[], inRows: () => void = () => {}): Promise<MessageRow[]> {
    await this.#log.ready(messages.length);
    const rows = messages.map((message) => this.#log.append(message));
    this.change(inRows);
    this.#notify({ messages: rows, rows: [], reset: false });
    return rows;
  }

  /** Takes back what `append` made a moment ago, with the run it began: it could not be stored. */
  retract(messages: readonly MessageRow[]): void {
    for (const message of [...messages].reverse()) this.#log.retract(message);
    this.run.clear();
    this.#notify({ messages: [], rows: messages.map(({ id }) => messageKey(id)), reset: false });
  }

  /** Changes several rows as one. */
  change(inRows: () => void): void {
    Y.transact(this.#doc, inRows);
  }

  queued(): QueueRow[] {
    return this.#queue
      .keys()
      .sort()
      .flatMap((key) => this.#queue.get(key) ?? []);
  }

  enqueue(row: QueueRow): void {
    const meta = this.#readMeta();
    this.change(() => {
      this.#queue.put(String(meta.nextQueued).padStart(8, '0'), row);
      this.#meta.set({ ...meta, nextQueued: meta.nextQueued + 1 });
    });
  }

  /** Takes a queued message out. Undefined when it is not there any more. */
  dequeue(messageId: string): QueueRow | undefined {
    for (const [key, row] of this.#queue.entries()) {
      if (row.messageId === messageId) {
        this.#queue.delete(key);
        return row;
      }
    }
    return undefined;
  }

  /** Rows of a view by key, but for the messages. */
  rows(): [string, Record<string, unknown>][] {
    const cells = {
      run: this.run,
      hil: this.hil,
      partial: this.partial,
      context: this.context,
      last: this.last,
    };
    const single = Object.entries(cells).flatMap(([key, cell]) => {
      const row: Record<string, unknown> | undefined = cell.get();
      return row ? [[key, row] as [string, Record<string, unknown>]] : [];
    });
    const queued = this.#queue.keys().flatMap((key) => {
      const row = this.#queue.get(key);
      return row ? [[`q:${key}`, row] as [string, Record<string, unknown>]] : [];
    });
    return [...single, ...queued];
  }

  /** Starts an empty generation; the messages of the old one are gone from disk when it resolves. */
  async clear(): Promise<void> {
    const old = this.#log;
    const meta = this.#readMeta();
    const next: Static<typeof Meta> = { ...meta, generation: meta.generation + 1, firstId: old.lastId + 1 };
    this.#log = await MessageLog.open(this.#documents, this.#prefix, next.generation, next.firstId);
    this.change(() => {
      this.#meta.set(next);
      for (const cell of [this.run, this.hil, this.partial, this.context, this.last]) cell.clear();
      for (const key of this.#queue.keys()) this.#queue.delete(key);
      for (const key of this.results.keys()) this.results.delete(key);
    });
    await this.flush();
    await old.remove();
    this.#notify({ messages: [], rows: [], reset: true });
  }

  flush(): Promise<void> {
    return this.#documents.flush();
  }

  /** The returned function ends it. */
  observe(listener: (change: ConversationChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #readMeta(): Static<typeof Meta> {
    return this.#meta.get() ?? FIRST_META;
  }

  #notify(change: ConversationChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

const FIRST_META: Static<typeof Meta> = { generation: 0, firstId: 1, nextQueued: 1 };
