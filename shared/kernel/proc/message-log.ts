import { MessageRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import type { Documents } from '../documents.ts';

/** Messages of one document. Opening a conversation loads the newest of these only, however long it is. */
export const SEGMENT_SIZE = 200;

export type NewMessage = Omit<MessageRow, 'id' | 'generation'>;
type Segment = { table: Table<typeof MessageRow>; rows: MessageRow[] };

const segmentOf = (id: number): number => Math.floor((id - 1) / SEGMENT_SIZE);

/**
 * The messages of one generation of a conversation, in documents of `SEGMENT_SIZE` each. Ids are numbers, unique and
 * increasing inside the conversation. A message is written once and never changed.
 */
export class MessageLog {
  readonly #documents: Documents;
  readonly #prefix: string;
  readonly #generation: number;
  readonly #segments = new Map<number, Promise<Segment>>();
  readonly #firstId: number;
  readonly #writable = new Map<number, Segment>();
  #lastId: number;

  private constructor(documents: Documents, prefix: string, generation: number, firstId: number) {
    this.#documents = documents;
    this.#prefix = prefix;
    this.#generation = generation;
    this.#firstId = firstId;
    this.#lastId = firstId - 1;
  }

  /** `prefix` names the conversation and ends with a slash; `firstId` is the first id of this generation. */
  static async open(
    documents: Documents,
    prefix: string,
    generation: number,
    firstId: number,
  ): Promise<MessageLog> {
    const log = new MessageLog(documents, `${prefix}g${generation}/`, generation, firstId);
    const last = await documents.lastName(log.#prefix);
    const newest = last === undefined ? segmentOf(firstId) : Number(last.slice(log.#prefix.length));
    const { rows } = await log.#segment(newest);
    log.#lastId = rows.at(-1)?.id ?? Math.max(firstId - 1, newest * SEGMENT_SIZE);
    return log;
  }

  get lastId(): number {
    return this.#lastId;
  }

  get count(): number {
    return this.#lastId - this.#firstId + 1;
  }

  /** Opens what the next `messages` appends need; they are then made in one go, so that disk sees all or none. */
  async ready(messages: number): Promise<void> {
    for (let n = segmentOf(this.#lastId + 1); n <= segmentOf(this.#lastId + Math.max(1, messages)); n += 1) {
      this.#writable.set(n, await this.#segment(n));
    }
  }

  /** Queues a message to disk; `Documents.flush` says when it is there. Throws unless `ready` was awaited. */
  append(message: NewMessage): MessageRow {
    const row: MessageRow = { ...message, id: this.#lastId + 1, generation: this.#generation };
    const segment = this.#writable.get(segmentOf(row.id));
    if (!segment) throw new Error('The log is not ready');
    this.#lastId = row.id;
    segment.table.put(rowKey(row.id), row);
    segment.rows.push(row);
    return row;
  }

  /** Takes back the newest message. Nothing is done for any other. */
  retract(row: MessageRow): void {
    const segment = this.#writable.get(segmentOf(row.id));
    if (!segment || row.id !== this.#lastId) return;
    segment.table.delete(rowKey(row.id));
    segment.rows.pop();
    this.#lastId -= 1;
  }

  /** Messages from position `offset` (0 is the oldest of the generation), oldest first. */
  async slice(offset: number, limit: number): Promise<MessageRow[]> {
    const from = this.#firstId + Math.max(0, offset);
    const to = Math.min(this.#lastId, from + limit - 1);
    const rows: MessageRow[] = [];
    for (let n = segmentOf(from); from <= to && n <= segmentOf(to); n += 1) {
      const segment = await this.#segment(n);
      rows.push(...segment.rows.filter((row) => row.id >= from && row.id <= to));
    }
    return rows;
  }

  /** Messages from the newest to the oldest; older documents are loaded only as far as the caller goes. */
  async *backwards(): AsyncGenerator<MessageRow> {
    for (let n = segmentOf(Math.max(this.#lastId, 1)); n >= segmentOf(this.#firstId); n -= 1) {
      const { rows } = await this.#segment(n);
      for (let at = rows.length - 1; at >= 0; at -= 1) {
        const row = rows[at];
        if (row && row.id >= this.#firstId) yield row;
      }
    }
  }

  /** Deletes every document of this generation. */
  async remove(): Promise<void> {
    for (const name of await this.#documents.names(this.#prefix)) await this.#documents.remove(name);
    this.#segments.clear();
  }

  #segment(n: number): Promise<Segment> {
    let opening = this.#segments.get(n);
    if (!opening) {
      opening = this.#open(n);
      this.#segments.set(n, opening);
      opening.catch(() => this.#segments.delete(n));
    }
    return opening;
  }

  async #open(n: number): Promise<Segment> {
    const doc = await this.#documents.open(`${this.#prefix}${String(n).padStart(6, '0')}`);
    const table = new Table(doc, 'messages', MessageRow);
    const rows = table.rows().sort((a, b) => a.id - b.id);
    return { table, rows };
  }
}

const rowKey = (id: number): string => String(id).padStart(10, '0');
