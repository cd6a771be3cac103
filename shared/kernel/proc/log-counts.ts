import type * as Y from 'yjs';
import { LogRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import { Cuts } from './cuts.ts';

/** `live`: those that no compaction took. */
type Counted = { row: LogRow; live: number };

/** How many messages there are of one generation, by segment and writer, known without opening a segment. */
export class LogCounts {
  readonly cuts: Cuts;
  readonly #table: Table<typeof LogRow>;
  readonly #generation: number;
  readonly #segments = new Map<number, Map<number, Counted>>();
  readonly #stop: () => void;
  #total = 0;
  #end = 1;

  /**
   * `changed` is called with the segments whose counts changed, here or elsewhere, `cut` when a compaction took some out.
   */
  constructor(
    state: Y.Doc,
    generation: number,
    changed: (segments: Set<number>) => void,
    cut: () => void = () => {},
  ) {
    this.cuts = new Cuts(state, generation, () => {
      for (const key of this.#table.keys()) this.#read(key);
      cut();
    });
    this.#table = new Table(state, 'log', LogRow);
    this.#generation = generation;
    for (const key of this.#table.keys()) this.#read(key);
    this.#stop = this.#table.observe((keys) => {
      const segments = new Set<number>();
      for (const key of keys) {
        const segment = this.#read(key);
        if (segment !== null) segments.add(segment);
      }
      if (segments.size > 0) changed(segments);
    });
  }

  /** Messages that are to be read. */
  get total(): number {
    return this.#total;
  }

  /** The base after every block that is known. */
  get end(): number {
    return this.#end;
  }

  /** Segments that messages were written to, in order. */
  segments(): number[] {
    return [...this.#segments.keys()].sort((a, b) => a - b);
  }

  /** Messages of a segment that are to be read. */
  of(segment: number): number {
    let count = 0;
    for (const { live } of this.#segments.get(segment)?.values() ?? []) count += live;
    return count;
  }

  /** What a writer has written to a segment, with what was archived since. */
  by(segment: number, writer: number): LogRow | undefined {
    return this.#segments.get(segment)?.get(writer)?.row;
  }

  /** The newest segment that holds messages of this writer. */
  newestOf(writer: number): number | undefined {
    return this.segments().findLast((segment) => this.by(segment, writer) !== undefined);
  }

  /** Whether anybody but this writer has written. */
  hasOthers(writer: number): boolean {
    for (const writers of this.#segments.values()) {
      if (writers.size > 1 || !writers.has(writer)) return true;
    }
    return false;
  }

  put(segment: number, writer: number, row: LogRow): void {
    const key = `${this.#generation}/${segment}/${writer}`;
    this.#table.put(key, row);
    this.#read(key);
  }

  /** By `<segment>/<writer>`, with what was archived since. */
  all(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [segment, writers] of this.#segments) {
      for (const [writer, { row }] of writers) counts[`${segment}/${writer}`] = row.count;
    }
    return counts;
  }

  /** Forgets the rows of which everything was kept. What was not here when it was, its writer still has to bring. */
  forget(kept: Readonly<Record<string, number>>): void {
    for (const [segment, writers] of this.#segments) {
      for (const [writer, { row }] of writers) {
        const all = (kept[`${segment}/${writer}`] ?? 0) >= row.count;
        if (all) this.#table.delete(`${this.#generation}/${segment}/${writer}`);
      }
    }
  }

  close(): void {
    this.#stop();
    this.cuts.close();
  }

  /** Takes a row as it is now. Null when it is of another generation. */
  #read(key: string): number | null {
    const [generation, segment = Number.NaN, writer = Number.NaN] = key.split('/').map(Number);
    if (generation !== this.#generation || Number.isNaN(segment + writer)) return null;
    const row = this.#table.get(key);
    const writers = this.#segments.get(segment) ?? new Map<number, Counted>();
    const live = Math.max(0, (row?.count ?? 0) - this.cuts.of(segment, writer).count);
    this.#total += live - (writers.get(writer)?.live ?? 0);
    this.#end = Math.max(this.#end, row?.end ?? 1);
    if (row && row.count > 0) writers.set(writer, { row, live });
    else writers.delete(writer);
    if (writers.size > 0) this.#segments.set(segment, writers);
    else this.#segments.delete(segment);
    return segment;
  }
}
