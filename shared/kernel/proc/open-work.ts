import { Type } from 'typebox';
import type * as Y from 'yjs';
import { isBusy } from '../../state/active.ts';
import { Cell } from '../../state/cell.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import { Table } from '../../state/table.ts';
import type { ConversationState } from './process-states.ts';

/** Of this replica alone, never replicated: what comes back from the room may be older than the disk. */
export const WORK_DOC = 'work';

/** By pid, and for other conversations than the first by `<pid>/<conversationId>`. */
const WorkRow = Type.Object({
  pid: Type.String(),
  conversationId: Type.Optional(Type.String()),
  open: Type.Boolean(),
});
const Link = Type.Object({ connections: Type.Integer({ minimum: 0 }) });

/**
 * The processes that this replica has to go on with after a restart. A run has one owner (DESIGN 5), so its mark stands
 * beside it on this disk and is written with it; the states that are replicated are for showing.
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
    return [...new Set(this.conversations().map(({ pid }) => pid))];
  }

  /** What has to be gone on with; those of one process in no particular order. */
  conversations(): { pid: string; conversationId: string }[] {
    return this.#rows
      .rows()
      .flatMap(({ pid, conversationId = DEFAULT_CONVERSATION, open }) =>
        open ? [{ pid, conversationId }] : [],
      );
  }

  /** Follows a change of a conversation. A queue that has emptied says nothing: its last message may be running. */
  note(pid: string, conversationId: string, said: Partial<ConversationState>): void {
    const runs = isBusy(said);
    if (said.state !== undefined || runs) this.#mark(pid, conversationId, runs);
  }

  /** Nothing of a conversation is left for this replica to go on with. */
  settle(pid: string, conversationId: string): void {
    this.#mark(pid, conversationId, false);
  }

  #mark(pid: string, conversationId: string, open: boolean): void {
    const first = conversationId === DEFAULT_CONVERSATION;
    const key = first ? pid : `${pid}/${conversationId}`;
    if ((this.#rows.get(key)?.open ?? false) === open) return;
    this.#rows.put(key, { pid, ...(first ? {} : { conversationId }), open });
  }
}
