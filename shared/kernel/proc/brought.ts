import { Type } from 'typebox';
import type * as Y from 'yjs';
import type { MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import { Table } from '../../state/table.ts';
import { segmentOf } from './log-segments.ts';

const BroughtRow = Type.Object({ segments: Type.Array(Type.Integer({ minimum: 0 })) });

/**
 * Where replicas have put what they brought from older generations, each in a row of its own. Two may have brought the
 * same message, however much lies between them now.
 */
export class Brought {
  readonly #rows: Table<typeof BroughtRow>;
  readonly #writer: number;

  constructor(doc: Y.Doc, writer: number) {
    this.#rows = new Table(doc, 'brought', BroughtRow);
    this.#writer = writer;
  }

  /** This replica has brought these to a generation; what it said of older ones is over. */
  put(generation: number, rows: readonly MessageRow[]): void {
    const key = keyOf(generation, this.#writer);
    for (const known of this.#rows.keys()) {
      const { of, writer } = partsOf(known);
      if (writer === this.#writer && of < generation) this.#rows.delete(known);
    }
    const before = this.#rows.get(key)?.segments ?? [];
    const segments = new Set([...before, ...rows.map(({ id }) => segmentOf(placeOf(id).base))]);
    if (segments.size > before.length) this.#rows.put(key, { segments: [...segments] });
  }

  /** Documents in which one message may stand twice: none, unless this replica and another have brought something. */
  segments(generation: number): number[] {
    const keys = this.#rows.keys().filter((key) => partsOf(key).of === generation);
    if (keys.length < 2 || !keys.includes(keyOf(generation, this.#writer))) return [];
    return [...new Set(keys.flatMap((key) => this.#rows.get(key)?.segments ?? []))];
  }

  observe(listener: () => void): void {
    this.#rows.observe(listener);
  }
}

const keyOf = (generation: number, writer: number): string => `${generation}/${writer}`;

function partsOf(key: string): { of: number; writer: number } {
  const [of = Number.NaN, writer = Number.NaN] = key.split('/').map(Number);
  return { of, writer };
}
