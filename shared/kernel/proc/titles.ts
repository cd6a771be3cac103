import type { MediaBlock, MessageRow } from '../../state/conversation.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { askTitle } from '../agent/title.ts';
import { noUsage } from '../agent/turn.ts';
import { isLocal } from '../local/engine-names.ts';
import type { Config } from '../sys/config.ts';
import type { Conversation } from './conversation.ts';
import type { Processes } from './processes.ts';
import { findProfile } from './profiles.ts';

/** Nothing of the process has gone on for so long. */
const IDLE_MS = 2_000;
/** Messages in which the first answer is looked for. */
const FIRST = 40;
const MOST_TRIES = 2;
const LABEL_CHARACTERS = 60;

export type TitlesParts = {
  tables: Pick<SystemTables, 'processes'>;
  config: Pick<Config, 'resolve'>;
  processes: Processes;
  clock: Clock;
  flush(): Promise<void>;
};

/** What a process is called after its first message, until there is something better. */
export function labelOf(message: string, media: readonly Pick<MediaBlock, 'name'>[]): string | null {
  const line = message.trim().split('\n')[0] || media[0]?.name;
  return line?.slice(0, LABEL_CHARACTERS) ?? null;
}

/**
 * Gives what a person has begun and not named a title by its model, when nothing of the process goes on: a conversation,
 * or with its first one the process. One short question, not asked again but once; what fails, fails silently. Never of a
 * conversation that is kept on this device, for titles are everywhere, and never by a model of this device, which is slow.
 */
export class Titles {
  readonly #parts: TitlesParts;
  readonly #tries = new Map<string, number>();
  #stopped = false;

  constructor(parts: TitlesParts) {
    this.#parts = parts;
  }

  /** A run has ended. */
  ended(row: ProcessRow, conversationId: string, status: 'ok' | 'error' | 'aborted'): void {
    const key = `${row.pid}/${conversationId}`;
    const tries = this.#tries.get(key) ?? 0;
    if (status !== 'ok' || tries >= MOST_TRIES || !this.#wanted(row, conversationId)) return;
    this.#tries.set(key, tries + 1);
    this.#parts.clock.after(IDLE_MS, () => void this.#give(row.pid, conversationId).catch(() => {}));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #give(pid: string, conversationId: string): Promise<void> {
    const { processes, flush } = this.#parts;
    const row = this.#idle(pid);
    if (!row || !this.#wanted(row, conversationId)) return;
    const dialogue = await processes.open(row, conversationId);
    const beginning = await beginningOf(dialogue.conversation);
    if (!beginning || !this.#unnamed(pid, conversationId, beginning[0])) return;
    const title = await dialogue.withModel(async (parts, choice) => {
      const affordable = parts.spending.reached({ usage: noUsage }).length === 0;
      return affordable && !isLocal(choice.provider) ? askTitle(parts, choice, beginning) : null;
    });
    // A person may have named it while the model thought.
    if (title === null || this.#stopped || !this.#unnamed(pid, conversationId, beginning[0])) return;
    if (conversationId === DEFAULT_CONVERSATION) this.#parts.tables.processes.patch(pid, { label: title });
    else processes.conversations.patch(pid, conversationId, { title });
    await flush();
  }

  #idle(pid: string): ProcessRow | undefined {
    const { processes } = this.#parts;
    const row = this.#stopped ? undefined : processes.row(pid);
    const idle = row?.state === 'idle' && row.queuedCount === 0 && !processes.process(row).slot.isTaken;
    return idle ? row : undefined;
  }

  #wanted({ pid, uid, profile }: ProcessRow, conversationId: string): boolean {
    const { config, processes } = this.#parts;
    if (config.resolve(uid, 'ai/titles') === 'off' || !findProfile(profile)?.interactive) return false;
    const row = processes.conversations.get(pid, conversationId);
    if (!row || row.private) return false;
    // The lasting process has its name.
    return conversationId === DEFAULT_CONVERSATION ? profile !== 'init' : row.title === null;
  }

  /** Whether nobody has named it: a process is called after its first message at first. */
  #unnamed(pid: string, conversationId: string, first: MessageRow | undefined): boolean {
    const { processes } = this.#parts;
    const conversation = processes.conversations.get(pid, conversationId);
    if (!conversation || conversation.private) return false;
    if (conversationId !== DEFAULT_CONVERSATION) return conversation.title === null;
    const [words] = first?.content.filter((block) => block.type === 'text') ?? [];
    const media = first?.content.filter((block) => block.type === 'media') ?? [];
    const label = processes.row(pid)?.label ?? null;
    return label === null || label === labelOf(words?.text ?? '', media);
  }
}

/** The first message of a person and the first answer in words; null where there are none. */
async function beginningOf({ log }: Conversation): Promise<MessageRow[] | null> {
  const rows = await log.slice(0, FIRST, (block) => log.peek(block));
  const asked = rows.find(({ role, origin }) => role === 'user' && origin !== 'event');
  const answered = rows.findLast(({ role, content }) => {
    return role === 'assistant' && content.some((block) => block.type === 'text');
  });
  return asked && answered ? [asked, answered] : null;
}
