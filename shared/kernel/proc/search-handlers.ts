import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { Result } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
import { asResult } from './as-result.ts';
import type { ProcHandlerParts } from './handlers.ts';
import { processAccess } from './process-access.ts';
import { search } from './search.ts';
import type { SearchIndex } from './search-index.ts';
import { wordsOf } from './search-words.ts';

const DEFAULT_LIMIT = 50;
/** A search answers with what it has after so long; what it has read is known the next time. */
const PATIENCE_MS = 15_000;

type Match = Extract<Result<'proc.search'>, { ok: true }>['matches'][number];

export function searchHandlers(
  parts: ProcHandlerParts & { searchIndex: SearchIndex },
): Handlers<'proc.search'> {
  const { processes, tables, fs, clock, searchIndex: index } = parts;
  const { find } = processAccess(parts);
  return {
    'proc.search': ({ pid, conversationId, query, limit = DEFAULT_LIMIT }, { caller, signal }) =>
      asResult(async () => {
        const words = wordsOf(query);
        if (words.length === 0) throw new SyscallError(400, 'There is nothing to search for');
        const { uid } = caller.identity;
        const own = (row: ProcessRow): boolean => row.uid === uid || uid === ROOT_UID;
        const rows = pid === undefined ? processes.rows().filter(own) : [find(caller, pid)];
        const until = clock.now() + PATIENCE_MS;
        const matches: Match[] = [];
        let complete = true;
        for (const row of rows.sort((a, b) => b.updatedAt - a.updatedAt)) {
          const known = processes.conversations.of(row.pid).sort((a, b) => b.updatedAt - a.updatedAt);
          for (const { conversationId: id, title } of known) {
            if (conversationId !== undefined && id !== conversationId) continue;
            const { conversation } = await processes.open(row, id);
            for await (const { row: message, segment, snippet } of search(
              { index, fs, conversation },
              words,
            )) {
              if (matches.length >= limit || signal.aborted || clock.now() > until) {
                complete = false;
                break;
              }
              matches.push({
                pid: row.pid,
                conversationId: id,
                title: title ?? tables.processes.get(row.pid)?.label ?? null,
                messageId: message.id,
                role: message.role,
                timestamp: message.timestamp,
                snippet,
                segmentId: segment?.id ?? null,
              });
            }
          }
        }
        return { ok: true, matches, complete };
      }),
  };
}
