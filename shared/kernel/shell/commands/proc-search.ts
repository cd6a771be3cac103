import type { Result } from '../../../syscalls/table.ts';
import { type CommandContext, type CommandResult, failed } from '../command.ts';
import { answered, parse } from './proc-words.ts';

type Match = Extract<Result<'proc.search'>, { ok: true }>['matches'][number];

const DEFAULT_LIMIT = 20;

/** What was said with all these words, live or archived, and the file that holds it. */
export async function search(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { options, words, problem } = parse(args, ['pid', 'limit']);
  const limit = Number(options.limit ?? DEFAULT_LIMIT);
  if (problem || words.length === 0) return failed('proc search', problem ?? 'say which words', 2);
  if (!Number.isInteger(limit) || limit < 1)
    return failed('proc search', `invalid limit: ${options.limit}`, 2);
  const of = options.pid === undefined ? {} : { pid: options.pid };
  const asked = { query: words.join(' '), limit, ...of };
  return answered(syscalls.call('proc.search', asked, { signal }), ({ matches, complete }) =>
    [...matches.map(found), ...(complete ? [] : ['There may be more: use rarer words or --limit.'])].join(
      '\n',
    ),
  );
}

function found({ pid, conversationId, segmentId, messageId, role, timestamp, snippet }: Match): string {
  const part = segmentId === null ? 'history' : `segments/${segmentId}`;
  const when = new Date(timestamp).toISOString().slice(0, 16);
  const said = snippet.replaceAll(/\s+/g, ' ');
  return `${when}Z ${role} #${messageId} /proc/${pid}/conversations/${conversationId}/${part}\n  ${said}`;
}
