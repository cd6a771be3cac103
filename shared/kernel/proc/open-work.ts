import { Type } from 'typebox';
import type * as Y from 'yjs';
import type { ProcessRow } from '../../state/system.ts';
import { Table } from '../../state/table.ts';

/** Of this replica alone, never replicated: what comes back from the room may be older than the disk. */
export const WORK_DOC = 'work';

const WorkRow = Type.Object({ pid: Type.String(), open: Type.Boolean() });

/**
 * The processes that this replica has to go on with after a restart. A run has one owner (DESIGN 5), so its mark stands
 * beside it on this disk and is written with it; the state in the replicated process row is for showing.
 */
export class OpenWork {
  readonly #rows: Table<typeof WorkRow>;

  constructor(doc: Y.Doc) {
    this.#rows = new Table(doc, 'processes', WorkRow);
  }

  pids(): string[] {
    return this.#rows.rows().flatMap(({ pid, open }) => (open ? [pid] : []));
  }

  /** Follows a change of a process row. A queue that has emptied says nothing: its last message may be running. */
  note(pid: string, { state, queuedCount }: Partial<ProcessRow>): void {
    if (state !== undefined) this.#mark(pid, state === 'running' || state === 'waiting');
    else if (queuedCount !== undefined && queuedCount > 0) this.#mark(pid, true);
  }

  #mark(pid: string, open: boolean): void {
    if ((this.#rows.get(pid)?.open ?? false) !== open) this.#rows.put(pid, { pid, open });
  }
}
