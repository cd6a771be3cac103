import type * as Y from 'yjs';
import { LogRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';

/** How many messages there are of one generation, by segment and writer, known without opening a segment. */
export class LogCounts {
  readonly #table: Table<typeof LogRow>;
  readonly #generation: number;
  readonly #segments = new Map<number, Map<number, LogRow>>();
  readonly #stop: () => void;
  #total = 0;
  #end = 1;

  /** `changed` is called with the segments whose counts changed, here or elsewhere. */
  constructor(state: Y.Doc, generation: number, changed: (segments: Set<number>) => void) {
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

  get total(): number {
    return this.#total;
  }

  /** The base after every block that is known. */
  get end(): number {
    return this.#end;
  }

  /** Segments that hold messages, in order. */
  segments(): number[] {
    return [...this.#segments.keys()].sort((a, b) => a - b);
  }

  of(segment: number): number {
    let count = 0;
    for (const row of this.#segments.get(segment)?.values() ?? []) count += row.count;
    return count;
  }

  by(segment: number, writer: number): LogRow | undefined {
    return this.#segments.get(segment)?.get(writer);
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

  /** By `<segment>/<writer>`. */
  all(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [segment, writers] of this.#segments) {
      for (const [writer, row] of writers) counts[`${segment}/${writer}`] = row.count;
    }
    return counts;
  }

  /** Forgets the rows of which everything was kept. What was not here when it was, its writer still has to bring. */
  forget(kept: Readonly<Record<string, number>>): void {
    for (const [segment, writers] of this.#segments) {
      for (const [writer, row] of writers) {
        const all = (kept[`${segment}/${writer}`] ?? 0) >= row.count;
        if (all) this.#table.delete(`${this.#generation}/${segment}/${writer}`);
      }
    }
  }

  close(): void {
    this.#stop();
  }

  /** Takes a row as it is now. Null when it is of another generation. */
  #read(key: string): number | null {
    const [generation, segment = Number.NaN, writer = Number.NaN] = key.split('/').map(Number);
    if (generation !== this.#generation || Number.isNaN(segment + writer)) return null;
    const row = this.#table.get(key);
    const writers = this.#segments.get(segment) ?? new Map<number, LogRow>();
    this.#total += (row?.count ?? 0) - (writers.get(writer)?.count ?? 0);
    this.#end = Math.max(this.#end, row?.end ?? 1);
    if (row && row.count > 0) writers.set(writer, row);
    else writers.delete(writer);
    if (writers.size > 0) this.#segments.set(segment, writers);
    else this.#segments.delete(segment);
    return segment;
  }
}
