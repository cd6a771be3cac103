import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ConversationRow, ProcessRow, SystemTables } from '../../state/system.ts';
import type { UsingConversation } from '../../syscalls/ai-local.ts';
import type { Result } from '../../syscalls/table.ts';
import { localLink } from '../local/chain.ts';
import { isLocal } from '../local/engine-names.ts';
import type { Processes } from '../proc/processes.ts';
import type { Config } from './config.ts';

export type ModelUseParts = {
  config: Config;
  tables: SystemTables;
  processes: Pick<Processes, 'conversations'>;
};
type Use = Result<'ai.local.list'>['models'][number]['use'];
type Conversation = { row: ConversationRow; process: ProcessRow };
type Model = { engine: string; id: string };

/** More than a person reads. */
const MOST_NAMED = 20;

/** What asks a model of this device first, of one user: by the account's chain, and by what is pinned to this device. */
export class ModelUse {
  readonly #main: Model;
  readonly #standIn: Model | undefined;
  readonly #parts: ModelUseParts;
  readonly #uid: number;

  constructor(parts: ModelUseParts, uid: number) {
    const setting = (name: string): string | undefined => parts.config.resolve(uid, name);
    this.#main = { engine: setting('ai/provider') ?? '', id: setting('ai/model') ?? '' };
    const link = localLink(setting);
    this.#standIn = link && { engine: link.provider, id: link.model };
    this.#parts = parts;
    this.#uid = uid;
  }

  of(model: Model): Use {
    const main = isSame(model, this.#main);
    // Where the main model runs here, nothing stands in for it.
    const standIn = !isLocal(this.#main.engine) && isSame(model, this.#standIn);
    const using = main
      ? this.#conversations()
      : standIn
        ? this.#conversations().filter(({ row }) => row.private === true)
        : [];
    return { main, standIn, conversations: using.slice(0, MOST_NAMED).map(named), total: using.length };
  }

  /** The open ones of processes that live, the newest first. */
  #conversations(): Conversation[] {
    const { tables, processes } = this.#parts;
    const live = tables.processes.rows().filter((row) => row.uid === this.#uid && row.state !== 'killed');
    const byPid = new Map(live.map((process) => [process.pid, process]));
    const rows = tables.conversations.rows();
    const stored = new Set(rows.map(({ pid }) => pid));
    const firsts = live
      .filter(({ pid }) => !stored.has(pid))
      .map(({ pid }) => processes.conversations.demand(pid, DEFAULT_CONVERSATION));
    return [...rows, ...firsts]
      .filter(({ status }) => status === 'open')
      .flatMap((row) => {
        const process = byPid.get(row.pid);
        return process ? [{ row, process }] : [];
      })
      .sort((a, b) => b.row.updatedAt - a.row.updatedAt);
  }
}

function isSame(model: Model, other: Model | undefined): boolean {
  return model.engine === other?.engine && model.id === other.id;
}

function named({ row, process }: Conversation): UsingConversation {
  const { pid, conversationId, title } = row;
  return { pid, conversationId, title, label: process.label, profile: process.profile };
}
