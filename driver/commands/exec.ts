import type { Args, Result } from '../../shared/syscalls/table.ts';
import { UsageError } from '../usage.ts';
import { given, parseOptions, required } from './options.ts';
import type { Program } from './program.ts';
import { type UserSession, userOptions, withUserSession } from './user-session.ts';

const INTERRUPT = '\x03';

/** `gsv exec`: prints a command's output as it comes and resolves with its exit code. */
export async function exec(args: string[], program: Program): Promise<number> {
  const parsed = parseOptions(args, { ...userOptions, target: { type: 'string' }, cwd: { type: 'string' } });
  const target = required(parsed, 'target');
  const cwd = given(parsed, 'cwd');
  const input = commandLine(parsed.positionals);
  return withUserSession(parsed, program, async (session) => {
    const start = { target, input, ...(cwd === undefined ? {} : { cwd }) };
    return follow(session, await session.call('shell.exec', start, program.stopped), program);
  });
}

/** One argument is a line for the shell as it stands; of several, each is one word of it. */
export function commandLine(words: readonly string[]): string {
  const [only] = words;
  if (only === undefined) throw new UsageError('No command: gsv exec --target ID -- COMMAND...');
  return words.length === 1 ? only : words.map(quote).join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Ctrl-C is passed on to the command, which may then end in its own way. */
async function follow(session: UserSession, first: Result<'shell.exec'>, program: Program): Promise<number> {
  let result = first;
  let interrupted = false;
  for (;;) {
    if ('ok' in result) return fail(program, result.error);
    program.output.write(result.output);
    if (result.status === 'completed') return result.exitCode;
    if (result.status === 'failed') return fail(program, result.error);
    const poll: Args<'shell.exec'> = { sessionId: result.sessionId, input: '' };
    if (program.stopped.aborted && !interrupted) {
      interrupted = true;
      poll.input = INTERRUPT;
    }
    result = await session.call('shell.exec', poll);
  }
}

function fail(program: Program, error: string): number {
  program.errors.write(`${error}\n`);
  return 1;
}
