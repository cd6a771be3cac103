import { SyscallError } from '../../protocol/errors.ts';
import type { MessageRow, SegmentRow } from '../../state/conversation.ts';
import type { ConversationSegment, conversationSyscalls } from '../../syscalls/conversation.ts';
import { summarise } from '../agent/summarise.ts';
import type { Handlers } from '../handler.ts';
import { readArchive } from './archive.ts';
import { checkpoint } from './checkpoint.ts';
import { allOf, compact, segmentId as newSegmentId, type Selector } from './compaction.ts';
import { DEFAULT_POLICY } from './conversation-rows.ts';
import type { Dialogue } from './dialogue.ts';
import { historyMessage } from './export.ts';
import { copyInto, ofSegment, throughMessage } from './fork.ts';
import type { ProcHandlerParts } from './handlers.ts';
import { processAccess } from './process-access.ts';

type Name = Exclude<
  keyof typeof conversationSyscalls,
  'proc.search' | `proc.conversation.${'open' | 'list' | 'get' | 'pin' | 'close' | 'reset'}`
>;
const DEFAULT_LIMIT = 200;

export function compactionHandlers(parts: ProcHandlerParts): Handlers<Name> {
  const { fs, processes, clock, random, flush } = parts;
  const { conversations } = processes;
  const { inDialogue } = processAccess(parts);

  return {
    'proc.conversation.policy.get': (about, { caller }) =>
      inDialogue(caller, about, async ({ conversationId }, { pid }) => {
        const policy = conversations.get(pid, conversationId)?.policy ?? DEFAULT_POLICY;
        return { ok: true, pid, policy };
      }),
    'proc.conversation.policy.set': ({ pid: _pid, conversationId: _id, ...changes }, { caller }) =>
      inDialogue(caller, { pid: _pid, conversationId: _id }, async ({ conversationId }, { pid }) => {
        const policy = { ...(conversations.get(pid, conversationId)?.policy ?? DEFAULT_POLICY), ...changes };
        conversations.patch(pid, conversationId, { policy });
        await flush();
        return { ok: true, pid, policy };
      }),
    'proc.conversation.compact': ({ summary, generateSummary, keepLast, throughMessageId, ...about }, call) =>
      inDialogue(call.caller, about, async (dialogue, row) => {
        const { conversation, conversationId } = dialogue;
        const selector = selectorOf(keepLast, throughMessageId);
        const summarise = summaryBy(dialogue, { summary, generateSummary }, call.signal);
        if (!summarise) throw new SyscallError(400, 'Give a summary, or have one made by generateSummary');
        const now = clock.now();
        const at = { fs, process: row, conversationId, conversation, now, id: newSegmentId(now, random) };
        const segment = await compact(at, selector, summarise);
        dialogue.changed(['messages', 'compacted']);
        return {
          ok: true,
          pid: row.pid,
          conversationId,
          segment: shownSegment(conversationId, segment),
          archivedMessages: segment.messages,
          archivedTo: segment.archivePath,
          summaryMessageId: segment.toMessageId,
        };
      }),
    'proc.conversation.fork': (
      {
        segmentId,
        throughMessageId,
        targetConversationId = random.uuid(),
        title,
        includeLiveSuffix,
        ...about
      },
      { caller },
    ) =>
      inDialogue(caller, about, async (dialogue, row) => {
        const { pid } = row;
        const { conversation, conversationId } = dialogue;
        if ((segmentId === undefined) === (throughMessageId === undefined))
          throw new SyscallError(400, 'Name a message or a segment, one of them');
        if (conversations.get(pid, targetConversationId))
          throw new SyscallError(409, 'There is a conversation of this name already');
        const suffix = segmentId !== undefined && includeLiveSuffix !== false;
        const segment = segmentId === undefined ? undefined : segmentNamed(dialogue, segmentId);
        const rows = segment
          ? await ofSegment(fs, conversation, segment, suffix)
          : await throughMessage(conversation, throughMessageId ?? 0);
        const forkedFrom = {
          conversationId,
          messageId: throughMessageId ?? null,
          segmentId: segmentId ?? null,
        };
        conversations.add(
          pid,
          targetConversationId,
          { title: title?.trim() || null, forkedFrom },
          clock.now(),
        );
        // Nobody writes to it before it is whole.
        conversations.patch(pid, targetConversationId, { status: 'closed' });
        const target = await processes.open(row, targetConversationId);
        await copyInto(target.conversation, rows);
        conversations.patch(pid, targetConversationId, { status: 'open', messageCount: rows.length });
        await flush();
        const {
          generation,
          status,
          title: name,
          createdAt,
          updatedAt,
        } = conversations.demand(pid, targetConversationId);
        const about_ = { id: targetConversationId, generation, status, title: name, createdAt, updatedAt };
        return {
          ok: true,
          pid,
          sourceConversationId: conversationId,
          targetConversation: { ...about_, messageCount: rows.length },
          ...(segment ? { segment: shownSegment(conversationId, segment) } : {}),
          ...(throughMessageId === undefined ? {} : { throughMessageId }),
          restoredMessages: rows.length,
          includedLiveSuffix: suffix,
        };
      }),
    'proc.conversation.segments': (about, { caller }) =>
      inDialogue(caller, about, async ({ conversation, conversationId }, { pid }) => {
        await conversation.caughtUp();
        const rows = conversation.segments.rows().sort((a, b) => (a.id < b.id ? -1 : 1));
        return {
          ok: true,
          pid,
          conversationId,
          segments: rows.map((row) => shownSegment(conversationId, row)),
        };
      }),
    'proc.conversation.segment.read': (
      { segmentId, limit = DEFAULT_LIMIT, offset = 0, ...about },
      { caller },
    ) =>
      inDialogue(caller, about, async (dialogue, { pid }) => {
        const { conversationId } = dialogue;
        const row = segmentNamed(dialogue, segmentId);
        const rows = await readArchive(fs, row.archivePath);
        const messages = rows.slice(offset, offset + limit).map(historyMessage);
        return {
          ok: true,
          pid,
          conversationId,
          segment: shownSegment(conversationId, row),
          messages,
          messageCount: rows.length,
          ...(messages.length < rows.length ? { truncated: true } : {}),
        };
      }),
    'proc.conversation.checkpoint': ({ summary, generateSummary, ...about }, call) =>
      inDialogue(call.caller, about, async (dialogue, row) => {
        const { conversation, conversationId } = dialogue;
        const messages = await allOf(conversation);
        const made = await summaryBy(dialogue, { summary, generateSummary }, call.signal)?.(messages);
        const segments = conversation.segments.rows();
        const text = made ?? newestSummary(messages);
        const files = await checkpoint(fs, row, { conversationId, messages, segments, summary: text });
        return { ok: true, pid: row.pid, conversationId, files, messages: messages.length };
      }),
  };
}

function selectorOf(keepLast: number | undefined, throughMessageId: number | undefined): Selector {
  if (keepLast !== undefined && throughMessageId === undefined) return { keepLast };
  if (throughMessageId !== undefined && keepLast === undefined) return { throughMessageId };
  throw new SyscallError(400, 'Name keepLast or throughMessageId, one of them');
}

type SummaryArgs = { summary?: string | undefined; generateSummary?: boolean | undefined };

/** Null when no summary is asked for. */
export function summaryBy(
  dialogue: Dialogue,
  { summary, generateSummary = false }: SummaryArgs,
  signal: AbortSignal,
): ((rows: readonly MessageRow[]) => Promise<string>) | null {
  if (summary !== undefined && generateSummary)
    throw new SyscallError(400, 'A summary is given or made, not both');
  if (summary !== undefined) return async () => summary;
  if (!generateSummary) return null;
  const made = (rows: readonly MessageRow[]): Promise<string> =>
    dialogue.withModel((parts, choice) => summarise(parts, choice, rows, signal));
  return (rows) =>
    made(rows).catch((thrown: unknown) => {
      throw new SyscallError(502, thrown instanceof Error ? thrown.message : 'The model gave no summary');
    });
}

function segmentNamed({ conversation }: Dialogue, segmentId: string): SegmentRow {
  const row = conversation.segments.get(segmentId);
  if (!row) throw new SyscallError(404, 'There is no such segment');
  return row;
}

function newestSummary(messages: readonly MessageRow[]): string | null {
  const block = messages.findLast(({ note }) => note === 'summary')?.content[0];
  return block?.type === 'text' ? block.text : null;
}

export function shownSegment(conversationId: string, row: SegmentRow): ConversationSegment {
  const { id, generation, kind, fromMessageId, toMessageId, messages, archivePath, createdAt } = row;
  const summaryMessageId = kind === 'compaction' ? toMessageId : null;
  const about = { id, conversationId, generation, kind, fromMessageId, toMessageId, messages };
  return { ...about, archivePath, summaryMessageId, createdAt };
}
