import { type MessageRow, messageKey } from '../../state/conversation.ts';
import type { Clock } from '../../std/clock.ts';
import type { Args } from '../../syscalls/table.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';
import type { Caller } from '../handler.ts';
import type { Conversation, ConversationChange } from '../proc/conversation.ts';
import type { Processes } from '../proc/processes.ts';
import { FRAME_MS, type Source } from './source.ts';

const DEFAULT_TAIL = 200;

export type ConversationSourceParts = { processes: Processes; clock: Clock };

/** The newest messages of a conversation with the rows around them. Throws 404 and 403. */
export async function conversationSource(
  { processes, clock }: ConversationSourceParts,
  { pid = '', conversationId, tail = DEFAULT_TAIL }: Args<'view.open'>,
  caller: Caller,
): Promise<Source> {
  const row = processes.demand(pid, caller.identity);
  const { conversation } = await processes.open(row, conversationId);
  return new ConversationSource(conversation, tail, clock);
}

/**
 * A window on a conversation: from its first row shown to the end. What another replica wrote before the window is in
 * no patch; then one patch tells the page to drop what it holds and gives it the newest ones anew.
 */
export class ConversationSource implements Source {
  readonly #conversation: Conversation;
  readonly #tail: number;
  readonly #clock: Clock;
  readonly #recent = new Map<string, MessageRow>();
  /** The first message that the page may have. */
  #first = 0;
  #again: (() => void) | null = null;
  /** Messages that came while the newest ones are being read; null when they are not. */
  #arrived: MessageRow[] | null = null;

  constructor(conversation: Conversation, tail: number, clock: Clock) {
    this.#conversation = conversation;
    this.#tail = tail;
    this.#clock = clock;
  }

  async load(): Promise<ViewRow[]> {
    const messages = await this.#newest();
    return [
      ...messages.map((message) => ({ key: messageKey(message.id), value: { ...message } })),
      ...this.#conversation.rows().map(([key, value]) => ({ key, value })),
    ];
  }

  count(): number {
    return this.#conversation.count;
  }

  read(key: string): ViewRow['value'] | undefined {
    const message = this.#recent.get(key);
    this.#recent.delete(key);
    return message ?? this.#conversation.rows().find(([name]) => name === key)?.[1];
  }

  observe(changed: (keys: string[], reset?: boolean) => void): () => void {
    const stop = this.#conversation.observe((change) => this.#onChange(change, changed));
    return () => {
      stop();
      this.#again?.();
    };
  }

  #onChange(
    { messages, rows, reset }: ConversationChange,
    changed: (keys: string[], reset?: boolean) => void,
  ): void {
    // All rows are told with the messages that are being read.
    if (this.#arrived) this.#arrived.push(...messages);
    else if (reset || messages.some(({ id }) => id < this.#first)) this.#showAnew(changed);
    else this.#tell(messages, rows, changed);
  }

  #tell(
    messages: readonly MessageRow[],
    rows: readonly string[],
    changed: (keys: string[], reset?: boolean) => void,
    reset = false,
  ): void {
    for (const key of rows) this.#recent.delete(key);
    for (const message of messages) this.#recent.set(messageKey(message.id), message);
    changed([...messages.map(({ id }) => messageKey(id)), ...rows], reset);
  }

  /** One patch takes what the page holds and gives it the newest messages, however many changes bring that about. */
  #showAnew(changed: (keys: string[], reset?: boolean) => void): void {
    this.#recent.clear();
    this.#again ??= this.#clock.after(FRAME_MS, () => {
      this.#again = null;
      this.#arrived = [];
      const tell = (newest: readonly MessageRow[]): void => {
        const known = new Map([...newest, ...(this.#arrived ?? [])].map((message) => [message.id, message]));
        this.#arrived = null;
        const rows = this.#conversation.rows().map(([key]) => key);
        this.#tell([...known.values()], rows, changed, true);
      };
      void this.#newest().then(tell, () => tell([]));
    });
  }

  async #newest(): Promise<MessageRow[]> {
    const { log, count } = this.#conversation;
    const messages = await log.slice(Math.max(0, count - this.#tail), this.#tail);
    const all = messages.length === count;
    this.#first = all ? 0 : (messages[0]?.id ?? 0);
    return messages;
  }
}
