import { type MessageRow, messageKey } from '../../state/conversation.ts';
import type { Clock } from '../../std/clock.ts';
import type { Args } from '../../syscalls/table.ts';
import type { ViewRow } from '../../syscalls/view.ts';
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
 * no patch; then the page gets a reset without messages, and the newest ones anew a moment later.
 */
export class ConversationSource implements Source {
  readonly #conversation: Conversation;
  readonly #tail: number;
  readonly #clock: Clock;
  readonly #recent = new Map<string, MessageRow>();
  /** The first message that the page may have. */
  #first = 0;
  #again: (() => void) | null = null;

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
    if (reset || messages.some(({ id }) => id < this.#first)) {
      this.#showAnew(changed);
      return;
    }
    for (const key of rows) this.#recent.delete(key);
    for (const message of messages) this.#recent.set(messageKey(message.id), message);
    changed([...messages.map(({ id }) => messageKey(id)), ...rows]);
  }

  #showAnew(changed: (keys: string[], reset?: boolean) => void): void {
    this.#recent.clear();
    this.#first = 0;
    changed(
      this.#conversation.rows().map(([key]) => key),
      true,
    );
    this.#again?.();
    // Two patches, so that the page drops what it holds before it gets messages.
    this.#again = this.#clock.after(2 * FRAME_MS, () => {
      this.#again = null;
      void this.#newest().then(
        (messages) => this.#onChange({ messages, rows: [], reset: false }, changed),
        () => {},
      );
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
