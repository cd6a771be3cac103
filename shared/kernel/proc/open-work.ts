import { Type } from 'typebox';
import type * as Y from 'yjs';
import { Cell } from '../../state/cell.ts';
import type { ProcessRow } from '../../state/system.ts';
import { Table } from '../../state/table.ts';

/** Of this replica alone, never replicated: what comes back from the room may be older than the disk. */
export const WORK_DOC = 'work';

const WorkRow = Type.Object({ pid: Type.String(), open: Type.Boolean() });
const Link = Type.Object({ connections: Type.Integer({ minimum: 0 }) });

/**
 * The processes that this replica has to go on with after a restart. A run has one owner (DESIGN 5), so its mark stands
 * beside it on this disk and is written with it; the state in the replicated process row is for showing.
 */
export class OpenWork {
  readonly #rows: Table<typeof WorkRow>;
  readonly #link: Cell<typeof Link>;

  constructor(doc: Y.Doc) {
    this.#rows = new Table(doc, 'processes', WorkRow);
    this.#link = new Cell(doc.getMap('link'), 'link', Link);
  }

  /** How often this replica has been connected to its room: what was written since the last time, nobody else knows. */
  get connections(): number {
    return this.#link.get()?.connections ?? 0;
  }

  connected(): void {
    this.#link.set({ connections: this.connections + 1 });
  }

  pids(): string[] {
    return this.#rows.rows().flatMap(({ pid, open }) => (open ? [pid] : []));
  }

  /** Follows a change of a process row. A queue that has emptied says nothing: its last message may be running. */
  note(pid: string, { state, queuedCount = 0 }: Partial<ProcessRow>): void {
    if (state !== undefined) this.#mark(pid, state === 'running' || state === 'waiting' || queuedCount > 0);
    else if (queuedCount > 0) this.#mark(pid, true);
  }

  /** Nothing of a process is left for this replica to go on with. */
  settle(pid: string): void {
    this.#mark(pid, false);
  }

  #mark(pid: string, open: boolean): void {
    if ((this.#rows.get(pid)?.open ?? false) !== open) this.#rows.put(pid, { pid, open });
  }
}
