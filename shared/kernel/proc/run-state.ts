import type * as Y from 'yjs';
import { Cell } from '../../state/cell.ts';
import { HilRow, PartialRow, ResultRow, RunRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';

const CELLS = ['run', 'hil', 'partial'] as const;

/**
 * The run of one replica in a conversation, with what belongs to it. Its rows are keyed by the owner, so that two
 * replicas apart never overwrite each other's; only the owner writes them, and who takes its run over under a lease.
 */
export class RunState {
  readonly owner: string;
  readonly run: Cell<typeof RunRow>;
  readonly hil: Cell<typeof HilRow>;
  readonly partial: Cell<typeof PartialRow>;
  readonly #results: Table<typeof ResultRow>;

  constructor(doc: Y.Doc, owner: string) {
    const state = doc.getMap('state');
    this.owner = owner;
    this.run = new Cell(state, `run/${owner}`, RunRow);
    this.hil = new Cell(state, `hil/${owner}`, HilRow);
    this.partial = new Cell(state, `partial/${owner}`, PartialRow);
    this.#results = new Table(doc, 'results', ResultRow);
  }

  /** The outcome of one of the run's calls that is done. */
  result(callId: string): ResultRow | undefined {
    return this.#results.get(this.#resultKey(callId));
  }

  setResult(callId: string, row: ResultRow): void {
    this.#results.put(this.#resultKey(callId), row);
  }

  dropResult(callId: string): void {
    this.#results.delete(this.#resultKey(callId));
  }

  clear(): void {
    for (const call of this.run.get()?.calls ?? []) this.dropResult(call.callId);
    for (const cell of CELLS) this[cell].clear();
  }

  #resultKey(callId: string): string {
    return `${this.owner}/${callId}`;
  }
}

/** Replicas that have a run in this conversation. */
export function ownersOf(doc: Y.Doc): string[] {
  const keys = [...doc.getMap('state').keys()];
  return keys.flatMap((key) => (key.startsWith('run/') ? [key.slice('run/'.length)] : []));
}

/** The key under which a view shows a key of the state: rows of runs are shown without their owner. */
export const shownKey = (key: string): string => key.split('/')[0] ?? key;
