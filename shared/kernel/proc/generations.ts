import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { Cell } from '../../state/cell.ts';
import { ArchivedRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import { Table } from '../../state/table.ts';

/** `firstId` is the first base of the generation. */
const Generation = Type.Object({ generation: Type.Integer(), firstId: Type.Integer({ minimum: 1 }) });
export type Generation = Static<typeof Generation>;
const FIRST: Generation = { generation: 0, firstId: 1 };

/**
 * Which generation a conversation is in. Each reset writes two rows: what it began, and what it archived of the one that
 * it ended. Of resets apart the first is one of theirs, also that of less; of the second each ended generation has its own.
 * Invariant: a generation that was ended anywhere is not the one of now.
 */
export class Generations {
  readonly #begun: Cell<typeof Generation>;
  readonly #archived: Table<typeof ArchivedRow>;

  constructor(state: Y.Doc) {
    this.#begun = new Cell(state.getMap('state'), 'meta', Generation);
    this.#archived = new Table(state, 'archived', ArchivedRow);
  }

  get now(): Generation {
    const begun = this.#begun.get() ?? FIRST;
    const ended = Math.max(-1, ...this.#archived.keys().map(Number).filter(Number.isInteger));
    if (ended < begun.generation) return begun;
    return { generation: ended + 1, firstId: Math.max(begun.firstId, this.#baseAfter(ended)) };
  }

  /** Whether there was a reset. */
  get any(): boolean {
    return this.#archived.size > 0;
  }

  /** What the reset that ended a generation had archived. */
  archived(generation: number): ArchivedRow {
    return this.#archived.get(String(generation)) ?? { counts: {} };
  }

  /** Ends a generation, of which `kept` was archived. */
  begin(next: Generation, kept: ArchivedRow): void {
    this.#archived.put(String(next.generation - 1), kept);
    this.#begun.set(next);
  }

  /** A generation that this replica knows of is not fallen behind. */
  keep({ generation, firstId }: Generation): void {
    const { now } = this;
    if (now.generation < generation) this.#begun.set({ generation, firstId: Math.max(now.firstId, firstId) });
  }

  /** Calls back when another generation may have been ended. */
  observe(listener: () => void): void {
    this.#archived.observe(listener);
  }

  /** Above that of every message that was archived of a generation, as far as its reset said. */
  #baseAfter(generation: number): number {
    const places = Object.values(this.archived(generation).through ?? {}).map(placeOf);
    return Math.max(1, ...places.map(({ base, place }) => base + place + 1));
  }
}
