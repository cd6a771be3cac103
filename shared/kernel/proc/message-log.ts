import * as Y from 'yjs';
import { MessageRow } from '../../state/conversation.ts';
import { idKey, messageId, placeOf } from '../../state/message-id.ts';
import { Table } from '../../state/table.ts';
import { LogCounts } from './log-counts.ts';
import type { LogParts } from './log-parts.ts';
import { type Block, goesOn, insert, isTwin, remove } from './log-rows.ts';
import { segmentName, segmentOf, segmentParts } from './log-segments.ts';
import { ownBlock } from './own-block.ts';

/** Left out where it is unsure what was sent: more than a kernel can have sent before it was on its disk. */
const SKIPPED_BASES = 64;
/** Documents that are read at once for one slice: from the room each takes a way there and back. */
const READ_AT_ONCE = 8;
/** Documents that are opened at once when counts of so many have changed elsewhere; beyond it all is read anew. */
const FOLLOW_SEGMENTS = 4;

/** What reads it may use. */
export type ReadLog = Omit<MessageLog, 'append' | 'retract' | 'close' | 'ready' | 'lookAgain'>;
export type NewMessage = Omit<MessageRow, 'id' | 'generation'>;
type Segment = { doc: Y.Doc; table: Table<typeof MessageRow>; rows: MessageRow[] };
type Planned = { id: number; segment: number };

/**
 * The messages of one generation of a conversation, in documents by their base. A message is written once, by one
 * replica, and never changed; those of other replicas come in between by their ids.
 */
export class MessageLog {
  readonly counts: LogCounts;
  readonly #parts: LogParts;
  readonly #segments = new Map<number, Promise<Segment>>();
  readonly #open = new Map<number, Segment>();
  /** The block that the next message of its run goes on with; undefined until it was looked for. */
  #block: Block | null | undefined;
  #skipped = 0;
  #writing = false;
  #closed = false;

  constructor(parts: LogParts) {
    this.#parts = parts;
    const { state, generation } = parts;
    const follow = (segments: Set<number>): void => void this.#follow(segments);
    this.counts = new LogCounts(state, generation, follow, () => this.#cut());
  }

  get generation(): number {
    return this.#parts.generation;
  }

  get firstBase(): number {
    return this.#parts.firstBase;
  }

  /** Messages that there are; of some only the count may be here yet. */
  get count(): number {
    let total = this.counts.total + this.#markers.length;
    for (const [segment, { rows }] of this.#open) total += Math.max(0, rows.length - this.counts.of(segment));
    return total;
  }

  /** Summaries that stand for what was archived. */
  get #markers(): readonly MessageRow[] {
    return this.counts.cuts.markers;
  }

  /** The base of a block that would begin now. */
  get nextBase(): number {
    return Math.max(this.#parts.firstBase + this.count, this.counts.end) + this.#skipped;
  }

  /** Opens the newest messages; where others have written, too, as many as may stand twice after being cut off. */
  async load(): Promise<void> {
    const numbers = this.numbers().slice(this.counts.hasOthers(this.#parts.writer) ? -2 : -1);
    if (numbers.length === 0) numbers.push(segmentOf(this.#parts.firstBase));
    await Promise.all(numbers.map((n) => this.#segment(n)));
  }

  /** Opens what appending these needs. They are then appended in one go, so that disk sees all or none. */
  async ready(messages: readonly NewMessage[]): Promise<void> {
    while (!this.isReady(messages)) {
      if (this.#block === undefined) this.#block = await this.#findBlock(messages);
      for (const { segment } of this.#plan(messages)) await this.#segment(segment);
    }
  }

  /** A run has come back from another replica, which may have written more of it. */
  lookAgain(): void {
    this.#block = undefined;
  }

  isReady(messages: readonly NewMessage[]): boolean {
    return this.#block !== undefined && this.#plan(messages).every(({ segment }) => this.#open.has(segment));
  }

  /**
   * Queues messages to disk, and what `inState` changes beside them; `Documents.flush` says when they are there. Throws
   * unless `ready` was awaited. The counts go first: no other message gets the id of one whose count has been seen.
   */
  append(messages: readonly NewMessage[], inState: () => void): MessageRow[] {
    if (!this.isReady(messages)) throw new Error('The log is not ready');
    const plan = this.#plan(messages, (block) => {
      this.#block = block;
    });
    this.#skipped = 0;
    const { generation, state } = this.#parts;
    const rows = messages.map(
      (message, at): MessageRow => ({ ...message, id: plan[at]?.id ?? 0, generation }),
    );
    const inSegments = [...new Set(plan.map(({ segment }) => segment))].map((segment) => ({
      segment,
      rows: rows.filter((_, at) => plan[at]?.segment === segment),
    }));
    this.#writing = true;
    Y.transact(state, () => {
      for (const { segment, rows: own } of inSegments) this.#count(segment, own);
      inState();
    });
    for (const { segment, rows: own } of inSegments) this.#write(segment, own);
    this.#writing = false;
    // Of a run that was taken over, or a message that was queued, another replica's may have come in the meantime.
    const mayBeTwins = rows.some(({ key, messageId }) => key !== undefined || messageId !== undefined);
    if (mayBeTwins && this.counts.hasOthers(this.#parts.writer))
      this.#dropTwins([...this.#open.values()].flatMap((segment) => segment.rows));
    return rows;
  }

  /** Takes back messages of this replica: what `append` made a moment ago, or what is there twice. */
  retract(messages: readonly MessageRow[]): void {
    const { writer } = this.#parts;
    for (const { id } of messages) {
      const segment = segmentOf(placeOf(id).base);
      const counted = this.counts.by(segment, writer);
      if (this.#open.get(segment)?.table.delete(idKey(id)) && counted)
        this.counts.put(segment, writer, { ...counted, count: counted.count - 1 });
    }
  }

  /** Frees what archived messages took; `inState` is written with it, and says that they are dropped. */
  drop(rows: readonly MessageRow[], inState: () => void): void {
    const segments = new Set(rows.map(({ id }) => segmentOf(placeOf(id).base)));
    Y.transact(this.#parts.state, inState);
    this.#writing = true;
    for (const n of segments) {
      const segment = this.#open.get(n);
      if (!segment) continue;
      const own = rows.filter(({ id }) => segmentOf(placeOf(id).base) === n);
      Y.transact(segment.doc, () => {
        for (const { id } of own) segment.table.delete(idKey(id));
      });
    }
    this.#writing = false;
  }

  /** Messages from position `offset` (0 is the oldest of the generation), oldest first. */
  async slice(
    offset: number,
    limit: number,
    read = (n: number): Promise<MessageRow[]> => this.#whole(n),
  ): Promise<MessageRow[]> {
    const rows: MessageRow[] = [];
    const segments = this.numbers().map((n) => ({ n, size: this.sizeOf(n) }));
    const parts = segmentParts(segments, offset, limit);
    for (let at = 0; at < parts.length; at += READ_AT_ONCE) {
      const some = parts.slice(at, at + READ_AT_ONCE);
      const own = await Promise.all(some.map(async ({ n, from, to }) => (await read(n)).slice(from, to)));
      rows.push(...own.flat());
    }
    return rows;
  }

  /** Messages from the newest to the oldest; older documents are loaded only as far as the caller goes. */
  async *backwards(): AsyncGenerator<MessageRow> {
    for (const n of this.numbers().reverse()) {
      const rows = await this.#whole(n);
      for (let at = rows.length - 1; at >= 0; at -= 1) {
        const row = rows[at];
        if (row) yield row;
      }
    }
  }

  /** All messages, oldest first, as they come to be known; those of one writer in one segment without gaps. */
  async *segments(): AsyncGenerator<{ segment: number; rows: MessageRow[] }> {
    for (const segment of this.numbers()) yield { segment, rows: await this.#whole(segment) };
  }

  /** What is here of a segment. */
  async held(n: number): Promise<readonly MessageRow[]> {
    return (await this.#segment(n)).rows;
  }

  /** What a segment holds, without keeping it open. */
  async peek(n: number): Promise<MessageRow[]> {
    if (this.#segments.has(n)) return this.#whole(n);
    const { documents, prefix, generation } = this.#parts;
    const doc = await documents.peek(segmentName(prefix, generation, n));
    const rows = new Table(doc, 'messages', MessageRow).rows();
    const live = rows.filter(({ id }) => !this.counts.cuts.isDropped(id, n));
    if (live.length < this.counts.of(n)) return this.#whole(n);
    return [...live, ...this.#markersIn(n)].sort((a, b) => a.id - b.id);
  }

  /** Opens these documents: what stands in them twice is taken back, by who wrote the later one. */
  async compare(numbers: readonly number[]): Promise<void> {
    const opened = await Promise.all(numbers.map((n) => this.#segment(n)));
    const rows = opened.flatMap((segment) => segment.rows);
    if (!this.#closed) this.#dropTwins(rows, opened);
  }

  /** Names of the documents that are open. */
  names(): string[] {
    const { prefix, generation } = this.#parts;
    return [...this.#open.keys()].map((n) => segmentName(prefix, generation, n));
  }

  /** What is here of it, by `<segment>/<writer>`: the counts, less what has not come yet of what was opened. */
  known(): Record<string, number> {
    const counts = this.counts.all();
    for (const [n, { rows }] of this.#open) {
      const writers = rows.map(({ id }) => placeOf(id).writer);
      for (const key of Object.keys(counts)) {
        const [segment, writer] = key.split('/').map(Number);
        if (segment !== n || writer === undefined) continue;
        const here = writers.filter((one) => one === writer).length;
        counts[key] = this.counts.cuts.of(n, writer).count + here;
      }
    }
    return counts;
  }

  /** Ends following, and lets go of its documents. Resolves when nothing of them reaches the disk any more. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.counts.close();
    const { documents, prefix, generation } = this.#parts;
    const names = [...this.#segments.keys()].map((n) => segmentName(prefix, generation, n));
    this.#segments.clear();
    this.#open.clear();
    await Promise.allSettled(names.map((name) => documents.close(name)));
  }

  /** Where each message would go; `then` is told of the block that stands at the end. */
  #plan(messages: readonly NewMessage[], then: (block: Block | null) => void = () => {}): Planned[] {
    const { writer } = this.#parts;
    const base = this.nextBase;
    let block = this.#block ?? null;
    const plan = messages.map((message, at): Planned => {
      block = goesOn(block, message)
        ? { ...block, next: block.next + 1 }
        : { runId: message.runId, base: base + at, next: 1 };
      return {
        id: messageId({ base: block.base, writer, place: block.next - 1 }),
        segment: segmentOf(block.base),
      };
    });
    then(block);
    return plan;
  }

  #count(n: number, rows: readonly MessageRow[]): void {
    const { writer } = this.#parts;
    const last = placeOf(rows.at(-1)?.id ?? 0);
    const counted = this.counts.by(n, writer) ?? { count: 0, end: 1 };
    const end = Math.max(counted.end, last.base + last.place + 1);
    this.counts.put(n, writer, { count: counted.count + rows.length, end });
  }

  #write(n: number, rows: readonly MessageRow[]): void {
    const segment = this.#open.get(n);
    if (!segment) return;
    Y.transact(segment.doc, () => {
      for (const row of rows) segment.table.put(idKey(row.id), row);
    });
  }

  async #findBlock(messages: readonly NewMessage[]): Promise<Block | null> {
    const found = await ownBlock(this, this.#parts, messages);
    if (found !== 'unsure') return found;
    this.#skipped = SKIPPED_BASES;
    return null;
  }

  /** Segments that hold something to be read, in order. */
  numbers(): number[] {
    const open = [...this.#open].flatMap(([n, { rows }]) => (rows.length > 0 ? [n] : []));
    const counted = this.counts.segments().filter((n) => this.counts.of(n) > 0);
    const marked = this.#markers.map(({ id }) => segmentOf(placeOf(id).base));
    return [...new Set([...counted, ...open, ...marked])].sort((a, b) => a - b);
  }

  sizeOf(n: number): number {
    return Math.max(this.counts.of(n), this.#open.get(n)?.rows.length ?? 0) + this.#markersIn(n).length;
  }

  #markersIn(n: number): MessageRow[] {
    return this.#markers.filter(({ id }) => segmentOf(placeOf(id).base) === n);
  }

  /** What is to be read of a segment, all that was counted, as far as the room can be asked for it. */
  async #whole(n: number): Promise<MessageRow[]> {
    const segment = await this.#segment(n);
    const { caughtUp, prefix, generation } = this.#parts;
    if (segment.rows.length < this.counts.of(n)) await caughtUp(segmentName(prefix, generation, n));
    const marked = this.#markersIn(n);
    if (marked.length === 0) return [...segment.rows];
    return [...segment.rows, ...marked].sort((a, b) => a.id - b.id);
  }

  #segment(n: number): Promise<Segment> {
    let opening = this.#segments.get(n);
    if (!opening) {
      opening = this.#load(n);
      this.#segments.set(n, opening);
      opening.catch(() => this.#segments.delete(n));
    }
    return opening;
  }

  async #load(n: number): Promise<Segment> {
    const { documents, prefix, generation } = this.#parts;
    const doc = await documents.open(segmentName(prefix, generation, n));
    const table = new Table(doc, 'messages', MessageRow);
    const rows = table.rows().filter(({ id }) => !this.counts.cuts.isDropped(id, n));
    const segment: Segment = { doc, table, rows: rows.sort((a, b) => a.id - b.id) };
    table.observe((keys) => this.#onKeys(n, segment, keys));
    this.#open.set(n, segment);
    // They may have come while this was closed.
    if (this.counts.hasOthers(this.#parts.writer)) {
      const near = (...numbers: number[]): Segment[] => numbers.flatMap((one) => this.#open.get(one) ?? []);
      const rows = near(n - 1, n).flatMap((one) => one.rows);
      this.#dropTwins(rows, near(n, n + 1));
    }
    return segment;
  }

  #onKeys(n: number, segment: Segment, keys: Set<string>): void {
    const put: MessageRow[] = [];
    const deleted: number[] = [];
    for (const key of [...keys].sort()) {
      const row = segment.table.get(key);
      if (row && this.counts.cuts.isDropped(row.id, n)) continue;
      if (row && insert(segment.rows, row)) put.push(row);
      else if (!row && remove(segment.rows, Number(key))) deleted.push(Number(key));
    }
    if (this.#writing || this.#closed || put.length + deleted.length === 0) return;
    this.#parts.changed({ put, deleted, all: false });
    this.#dropTwins(put);
  }

  /**
   * A queued message that two replicas began apart, a call whose result both the former and the new owner of its run
   * have written, or what a kernel wrote again because it was killed before the first was on its disk, stands here
   * twice: who wrote the later one takes it back.
   */
  #dropTwins(arrived: readonly MessageRow[], among: Iterable<Segment> = this.#open.values()): void {
    const { writer } = this.#parts;
    if (arrived.length === 0) return;
    const own = [...among].flatMap(({ rows }) => rows.filter(({ id }) => placeOf(id).writer === writer));
    this.retract(own.filter((row) => arrived.some((other) => other.id < row.id && isTwin(row, other))));
  }

  /** Counts changed: messages that are not open here came from elsewhere. */
  async #follow(changed: Set<number>): Promise<void> {
    if (this.#writing || this.#closed) return;
    const wanted = (n: number): boolean => this.#parts.watched() || this.#hasOwnNear(n);
    const unopened = [...changed].filter((n) => !this.#segments.has(n) && wanted(n));
    if (unopened.length === 0) return;
    const all = unopened.length > FOLLOW_SEGMENTS;
    const opened = all ? [] : await Promise.all(unopened.map((n) => this.#segment(n))).catch(() => []);
    if (!this.#closed) this.#parts.changed({ put: opened.flatMap(({ rows }) => rows), deleted: [], all });
  }

  /** Whether this replica has written where what comes to a segment may stand twice. */
  #hasOwnNear(n: number): boolean {
    return [n - 1, n, n + 1].some((near) => this.counts.by(near, this.#parts.writer) !== undefined);
  }

  /** A compaction took messages out, here or elsewhere. */
  #cut(): void {
    for (const [n, segment] of this.#open)
      segment.rows = segment.rows.filter(({ id }) => !this.counts.cuts.isDropped(id, n));
    if (!this.#closed) this.#parts.changed({ put: [], deleted: [], all: true });
  }
}
