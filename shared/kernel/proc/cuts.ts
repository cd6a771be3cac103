import type * as Y from 'yjs';
import { type MessageRow, SegmentRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import { Table } from '../../state/table.ts';

/** Of one writer in one segment: the newest message that was archived, and how many were until then. */
export type Dropped = SegmentRow['dropped'][string];
const NOTHING: Dropped = { through: 0, count: 0 };

/** The name of the table of what was archived, in the state document of a conversation. */
export const segmentsTable = (state: Y.Doc): Table<typeof SegmentRow> =>
  new Table(state, 'segments', SegmentRow);

/**
 * What compactions took out of one generation, and the summaries that stand for it. Each says of every writer up to
 * where it archived, and the furthest counts: so replicas that compact apart agree, and what a compaction did not know
 * stays. Its marker stands where the last message that it took had stood, unless another one took all of it, too.
 */
export class Cuts {
  readonly #table: Table<typeof SegmentRow>;
  readonly #generation: number;
  readonly #stop: () => void;
  #dropped = new Map<string, Dropped>();
  #markers: MessageRow[] = [];

  constructor(state: Y.Doc, generation: number, changed: () => void) {
    this.#table = segmentsTable(state);
    this.#generation = generation;
    this.#read();
    this.#stop = this.#table.observe((keys) => {
      if (![...keys].some((key) => this.#isOurs(this.#table.get(key)))) return;
      this.#read();
      changed();
    });
  }

  /** In the order of the messages. */
  get markers(): readonly MessageRow[] {
    return this.#markers;
  }

  of(segment: number, writer: number): Dropped {
    return this.#dropped.get(`${segment}/${writer}`) ?? NOTHING;
  }

  /** How many of each writer, by `<segment>/<writer>`. */
  counts(): Record<string, number> {
    return Object.fromEntries(Array.from(this.#dropped, ([key, { count }]) => [key, count]));
  }

  isDropped(id: number, segment: number): boolean {
    return this.#dropped.size > 0 && id <= this.of(segment, placeOf(id).writer).through;
  }

  close(): void {
    this.#stop();
  }

  #isOurs(row: SegmentRow | undefined): row is SegmentRow {
    return row?.kind === 'compaction' && row.generation === this.#generation;
  }

  #read(): void {
    const rows = this.#table.rows().filter((row) => this.#isOurs(row));
    this.#dropped = new Map();
    for (const [key, dropped] of rows.flatMap((row) => Object.entries(row.dropped))) {
      if (dropped.through > (this.#dropped.get(key)?.through ?? 0)) this.#dropped.set(key, dropped);
    }
    const standing = rows.filter((row) => !rows.some((other) => other !== row && covers(other, row)));
    this.#markers = standing.map(markerOf).sort((a, b) => a.id - b.id);
  }
}

/** Whether `a` took everything that `b` took. Of two that took the same, one stands. */
function covers(a: SegmentRow, b: SegmentRow): boolean {
  const through = (row: SegmentRow, key: string): number => row.dropped[key]?.through ?? 0;
  const more = Object.keys(b.dropped).every((key) => through(a, key) >= through(b, key));
  if (!more) return false;
  const same = Object.keys(a.dropped).every((key) => through(b, key) >= through(a, key));
  return !same || a.id > b.id;
}

function markerOf({ id, generation, toMessageId, createdAt, summary }: SegmentRow): MessageRow {
  return {
    id: toMessageId,
    generation,
    role: 'system',
    content: [{ type: 'text', text: summary }],
    timestamp: createdAt,
    runId: null,
    note: 'summary',
    segmentId: id,
  };
}
