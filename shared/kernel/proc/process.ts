import { SyscallError } from '../../protocol/errors.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ConversationRow } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Archived, Kept } from './archive.ts';
import type { ConversationRows } from './conversation-rows.ts';
import type { Dialogue } from './dialogue.ts';
import type { Shared } from './hold.ts';
import type { ProcessStates } from './process-states.ts';
import { RunSlot } from './run-slot.ts';

/** A dialogue that nobody has used for so long is closed. */
const IDLE_MS = 5 * 60_000;

export type ProcessParts = {
  pid: string;
  rows: ConversationRows;
  states: ProcessStates;
  clock: Clock;
  start(conversationId: string, process: Process): Promise<Dialogue>;
};

type Open = { dialogue: Promise<Dialogue>; usedAt: number };

/** A durable agent: its conversations, of which one at a time has its run. Those in use are open. */
export class Process {
  readonly slot = new RunSlot();
  readonly shared: Shared = {
    uses: 0,
    inUse: () => this.#here().some(({ active }) => active),
    documentNames: () => this.#here().flatMap(({ conversation }) => conversation.documentNames()),
  };
  readonly #parts: ProcessParts;
  readonly #open = new Map<string, Open>();
  readonly #ready = new Map<string, Dialogue>();
  #acting: string | null = null;
  #ending = false;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
  }

  get isClosed(): boolean {
    return this.#open.size === 0;
  }

  /** One of its conversations, made ready. Throws 404 when there is none of that id. */
  async open(conversationId: string): Promise<Dialogue> {
    const { clock, rows, pid, start } = this.#parts;
    const known = this.#open.get(conversationId);
    if (known) {
      known.usedAt = clock.now();
      return known.dialogue;
    }
    rows.demand(pid, conversationId);
    if (this.#ending) throw new SyscallError(404, 'Process not found');
    const dialogue = start(conversationId, this);
    this.#open.set(conversationId, { dialogue, usedAt: clock.now() });
    dialogue.then(
      (ready) => this.#ready.set(conversationId, ready),
      () => this.#open.delete(conversationId),
    );
    return dialogue;
  }

  /** Its messages, without opening it where its row says how many there are. */
  async messageCount({ conversationId, messageCount }: ConversationRow): Promise<number> {
    if (messageCount !== undefined && !this.#open.has(conversationId)) return messageCount;
    return (await this.open(conversationId)).conversation.count;
  }

  /** Every conversation, those first that others have a run in. */
  async all(): Promise<Dialogue[]> {
    const { rows, pid } = this.#parts;
    const all = await Promise.all(rows.of(pid).map(({ conversationId }) => this.open(conversationId)));
    const others = ({ conversation }: Dialogue): number => conversation.others().length;
    return all.sort((a, b) => others(b) - others(a));
  }

  /** The first conversation, and those that are said to have something going on. */
  busy(): Promise<Dialogue[]> {
    const { rows, states, pid } = this.#parts;
    const queued = rows.of(pid).filter(({ queuedCount = 0 }) => queuedCount > 0);
    const busy = [...queued, ...states.activeIn(pid)];
    const ids = new Set([DEFAULT_CONVERSATION, ...busy.map(({ conversationId }) => conversationId)]);
    return Promise.all([...ids].map((conversationId) => this.open(conversationId)));
  }

  /** The conversation in which something is going on; else the first one. */
  async current(): Promise<Dialogue> {
    const dialogues = await this.busy();
    const running = dialogues.find(({ conversation }) => conversation.shown().run.get() !== undefined);
    return running ?? this.open(DEFAULT_CONVERSATION);
  }

  /**
   * Stops everything, lets `keep` archive each conversation, and begins an empty generation of each. `end`: none of
   * them takes a message any more.
   */
  async empty(keep: (dialogue: Dialogue) => Promise<Kept | null>, end = false): Promise<Archived> {
    const all = this.all();
    // A conversation that is made from now on would be forgotten with what it is told.
    this.#ending = end;
    try {
      return await this.#emptied(await all, keep, end);
    } catch (thrown) {
      this.#ending = false;
      throw thrown;
    }
  }

  #emptied(
    dialogues: Dialogue[],
    keep: (dialogue: Dialogue) => Promise<Kept | null>,
    end: boolean,
  ): Promise<Archived> {
    const clearAll = async (): Promise<Archived> => {
      const cleared: Archived[] = [];
      for (const dialogue of dialogues) cleared.push(await dialogue.clear(() => keep(dialogue)));
      if (end) for (const dialogue of dialogues) dialogue.end();
      return together(cleared);
    };
    return dialogues.reduceRight((inner, dialogue) => () => dialogue.whileStopped(inner), clearAll)();
  }

  /** Whether what a conversation does, or that it does nothing any more, is what the process does. */
  acts(conversationId: string, activity: string | null): boolean {
    if (activity !== null) this.#acting = conversationId;
    return this.#acting === conversationId;
  }

  /** Closes what nobody has used for a while. */
  async sweep(): Promise<void> {
    const { clock } = this.#parts;
    for (const [conversationId, open] of this.#open) {
      const dialogue = await open.dialogue.catch(() => null);
      const unused = clock.now() - open.usedAt >= IDLE_MS;
      if (!dialogue?.idle || !unused || this.#open.get(conversationId) !== open) continue;
      this.#forget(conversationId);
      dialogue.close();
    }
  }

  close(): void {
    for (const [conversationId, { dialogue }] of this.#open) {
      void dialogue.then((ready) => ready.close());
      this.#forget(conversationId);
    }
  }

  #forget(conversationId: string): void {
    this.#open.delete(conversationId);
    this.#ready.delete(conversationId);
  }

  #here(): Dialogue[] {
    return [...this.#ready.values()];
  }
}

function together(archived: readonly Archived[]): Archived {
  const archives = archived.flatMap((one) => one.archives);
  const archivedTo = archived.find((one) => one.archivedTo !== undefined)?.archivedTo;
  const archivedMessages = archived.reduce((sum, one) => sum + one.archivedMessages, 0);
  return { archivedMessages, ...(archivedTo === undefined ? {} : { archivedTo }), archives };
}
