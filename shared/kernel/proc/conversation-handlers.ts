import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ConversationRow } from '../../state/system.ts';
import type { ConversationInfo, conversationSyscalls } from '../../syscalls/conversation.ts';
import type { Handlers } from '../handler.ts';
import { dropUnused, mediaOf } from '../media/unused.ts';
import { allOf } from './compaction.ts';
import { summaryBy } from './compaction-handlers.ts';
import type { ProcHandlerParts } from './handlers.ts';
import type { Process } from './process.ts';
import { keepWith, processAccess } from './process-access.ts';

type Name = Extract<
  keyof typeof conversationSyscalls,
  `proc.conversation.${'open' | 'list' | 'get' | 'pin' | 'close' | 'reset'}`
>;

export function conversationHandlers(parts: ProcHandlerParts): Handlers<Name> {
  const { processes, tables, clock, random, flush } = parts;
  const { conversations } = processes;
  const { withProcess, inDialogue } = processAccess(parts);
  const keep = keepWith(parts);
  const info = async (process: Process, row: ConversationRow): Promise<ConversationInfo> => {
    const { conversationId: id, generation, status, title, createdAt, updatedAt } = row;
    const messageCount = await process.messageCount(row);
    const pinned = row.private ? { private: true } : {};
    return { id, generation, status, title, messageCount, createdAt, updatedAt, ...pinned };
  };

  return {
    'proc.conversation.open': ({ pid, conversationId = random.uuid(), title }, { caller }) =>
      withProcess(caller, pid, async (process, { pid: of }) => {
        const known = conversations.get(of, conversationId);
        const name = title?.trim() || null;
        if (!known) conversations.add(of, conversationId, { title: name, forkedFrom: null }, clock.now());
        else {
          const renamed = title === undefined ? {} : { title: name };
          conversations.patch(of, conversationId, { status: 'open', ...renamed });
          // Its first conversation is what a process is called by; what is private is named here alone.
          if (
            name !== null &&
            conversationId === DEFAULT_CONVERSATION &&
            !conversations.isPrivate(of, conversationId)
          )
            tables.processes.patch(of, { label: name });
        }
        await flush();
        const row = conversations.demand(of, conversationId);
        return { ok: true, pid: of, conversation: await info(process, row), created: !known };
      }),
    'proc.conversation.list': ({ pid, includeClosed = false }, { caller }) =>
      withProcess(caller, pid, async (process, { pid: of }) => {
        const rows = conversations.of(of).filter(({ status }) => includeClosed || status === 'open');
        const listed = await Promise.all(rows.map((row) => info(process, row)));
        return { ok: true, pid: of, conversations: listed.sort((a, b) => b.updatedAt - a.updatedAt) };
      }),
    'proc.conversation.get': ({ pid, conversationId = DEFAULT_CONVERSATION }, { caller }) =>
      withProcess(caller, pid, async (process, { pid: of }) => {
        const row = conversations.get(of, conversationId);
        return { ok: true, pid: of, conversation: row ? await info(process, row) : null };
      }),
    'proc.conversation.pin': ({ pid, conversationId = DEFAULT_CONVERSATION, private: pinned }, { caller }) =>
      withProcess(caller, pid, async (_process, { pid: of }) => {
        conversations.demand(of, conversationId);
        conversations.patch(of, conversationId, { private: pinned });
        await flush();
        return { ok: true, pid: of, conversationId, private: pinned };
      }),
    'proc.conversation.close': ({ pid, conversationId }, { caller }) =>
      withProcess(caller, pid, async (_process, { pid: of }) => {
        const row = conversations.demand(of, conversationId);
        const closed = row.status === 'open';
        conversations.patch(of, conversationId, { status: 'closed' });
        await flush();
        return { ok: true, pid: of, conversationId, closed };
      }),
    'proc.conversation.reset': ({ archive = true, summary, generateSummary, ...about }, call) =>
      inDialogue(call.caller, about, async (dialogue, row) => {
        const { conversation, conversationId } = dialogue;
        const carry = summaryBy(dialogue, { summary, generateSummary }, call.signal);
        const media = await mediaOf(parts.fs, row, conversation);
        const archived = await dialogue.empty(
          () => keep(row, archive)(dialogue),
          carry && (async () => carry(await allOf(conversation))),
        );
        conversations.note(row.pid, conversationId, { status: 'open' });
        await flush();
        // Archives refer to what they keep beside them.
        if (media?.size) void dropUnused(parts, row, media).catch(() => {});
        const { archivedMessages, archives } = archived;
        return {
          ok: true,
          pid: row.pid,
          conversationId,
          generation: conversation.generation,
          archivedMessages,
          ...(archives[0] ? { archivedTo: archives[0].path } : {}),
        };
      }),
  };
}
