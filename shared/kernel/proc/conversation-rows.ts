import { SyscallError } from '../../protocol/errors.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ConversationRow, ProcessRow, SystemTables } from '../../state/system.ts';
import type { ContextPolicy } from '../../syscalls/conversation.ts';
import type { ProcessStates } from './process-states.ts';

/** FACTS, Numbers. */
export const DEFAULT_POLICY: ContextPolicy = { overflow: 'manual', compactAtPressure: 0.9, keepLast: 80 };

const keyOf = (pid: string, conversationId: string): string => `${pid}/${conversationId}`;

/**
 * The conversations of processes, as rows, with what goes on in them. The first one of each process is there also without
 * a row.
 */
export class ConversationRows {
  readonly #tables: Pick<SystemTables, 'conversations' | 'processes'>;
  readonly #states: ProcessStates;

  constructor(tables: Pick<SystemTables, 'conversations' | 'processes'>, states: ProcessStates) {
    this.#tables = tables;
    this.#states = states;
  }

  get(pid: string, conversationId: string): ConversationRow | undefined {
    const row = this.#stored(pid, conversationId);
    return row && this.#joined(row);
  }

  /** Throws 404 when there is none. */
  demand(pid: string, conversationId: string): ConversationRow {
    const row = this.get(pid, conversationId);
    if (!row) throw new SyscallError(404, 'There is no such conversation');
    return row;
  }

  /** All of a process, closed ones too. */
  of(pid: string): ConversationRow[] {
    const rows = this.#tables.conversations.rows().filter((row) => row.pid === pid);
    const has = rows.some(({ conversationId }) => conversationId === DEFAULT_CONVERSATION);
    const first = has ? undefined : this.#stored(pid, DEFAULT_CONVERSATION);
    return [...(first ? [first] : []), ...rows].map((row) => this.#joined(row));
  }

  /** Whether it never leaves this device. */
  isPrivate(pid: string, conversationId: string): boolean {
    return this.#stored(pid, conversationId)?.private === true;
  }

  put(row: ConversationRow): void {
    this.#tables.conversations.put(keyOf(row.pid, row.conversationId), row);
  }

  /** A new conversation. From the second one on, the first has a row of its own. */
  add(
    pid: string,
    conversationId: string,
    about: Pick<ConversationRow, 'title' | 'forkedFrom'>,
    now: number,
  ): void {
    const first = this.#stored(pid, DEFAULT_CONVERSATION);
    if (first && !this.#has(pid, DEFAULT_CONVERSATION)) this.put(this.#joined(first));
    // What stays here stays here also when it is continued under another name.
    const from = about.forkedFrom?.conversationId;
    const pinned = from !== undefined && this.isPrivate(pid, from) ? { private: true } : {};
    const begun = { generation: 0, createdAt: now, updatedAt: now };
    this.put({ pid, conversationId, ...about, ...pinned, status: 'open', policy: null, ...begun });
  }

  /** Changes a row, or makes that of the first conversation. Nothing is written where nothing changes. */
  patch(pid: string, conversationId: string, changes: Partial<ConversationRow>): void {
    const row = this.#stored(pid, conversationId);
    if (!row) return;
    const names = Object.keys(changes) as (keyof ConversationRow)[];
    if (names.every((name) => row[name] === changes[name])) return;
    if (!this.#has(pid, conversationId)) this.put(row);
    this.#tables.conversations.patch(keyOf(pid, conversationId), changes);
  }

  /** As `patch`, if it has a row of its own. */
  note(pid: string, conversationId: string, changes: Partial<ConversationRow>): void {
    if (this.#has(pid, conversationId)) this.patch(pid, conversationId, changes);
  }

  removeAll(pid: string): void {
    for (const { conversationId } of this.of(pid))
      this.#tables.conversations.delete(keyOf(pid, conversationId));
  }

  /** Calls back with the ids of one process's conversations that changed. The returned function ends it. */
  observeOf(pid: string, changed: (ids: string[]) => void): () => void {
    const prefix = keyOf(pid, '');
    const stopRows = this.#tables.conversations.observe((keys) => {
      const own = [...keys].filter((key) => key.startsWith(prefix));
      if (own.length > 0) changed(own.map((key) => key.slice(prefix.length)));
    });
    const stopStates = this.#states.observe((rows) => {
      const own = rows.filter((row) => row.pid === pid);
      if (own.length > 0) changed(own.map(({ conversationId }) => conversationId));
    });
    return () => {
      stopRows();
      stopStates();
    };
  }

  #has(pid: string, conversationId: string): boolean {
    return this.#tables.conversations.get(keyOf(pid, conversationId)) !== undefined;
  }

  #stored(pid: string, conversationId: string): ConversationRow | undefined {
    const row = this.#tables.conversations.get(keyOf(pid, conversationId));
    if (row || conversationId !== DEFAULT_CONVERSATION) return row;
    const process = this.#tables.processes.get(pid);
    return process && firstOf(process);
  }

  #joined(row: ConversationRow): ConversationRow {
    const known = this.#states.of(row.pid, row.conversationId);
    if (!known) return row;
    const { state, queuedCount, generation, messageCount, updatedAt } = known;
    return {
      ...row,
      state,
      queuedCount,
      generation,
      updatedAt,
      ...(messageCount === undefined ? {} : { messageCount }),
    };
  }
}

function firstOf({ state, ...row }: ProcessRow): ConversationRow {
  const { pid, conversationId, generation, queuedCount, createdAt, updatedAt } = row;
  return {
    pid,
    conversationId,
    title: null,
    status: 'open',
    generation,
    policy: null,
    forkedFrom: null,
    createdAt,
    updatedAt,
    queuedCount,
    ...(state === 'killed' ? {} : { state }),
  };
}
