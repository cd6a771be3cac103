import type { Args } from '../../syscalls/table.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { keyed, type Source } from './source.ts';

/** The conversations of one process, closed ones too, by id. Throws 404 and 403. */
export function conversationsSource(
  processes: Processes,
  { pid = '' }: Args<'view.open'>,
  caller: Caller,
): Source {
  processes.demand(pid, caller.identity);
  const { conversations } = processes;
  const ids = (): string[] => conversations.of(pid).map(({ conversationId }) => conversationId);
  return keyed(
    ids,
    (id) => conversations.get(pid, id),
    (changed) => conversations.observeOf(pid, changed),
  );
}
