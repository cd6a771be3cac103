import { TELL_CHARACTERS } from '../../shared/syscalls/inbox.ts';
import { UsageError } from '../usage.ts';
import { given, parseOptions } from './options.ts';
import type { Program } from './program.ts';
import { userOptions, withUserSession } from './user-session.ts';

/** `gsv tell`: leaves a message for an agent, read at once where a browser is open. Resolves with the exit code. */
export async function tell(args: string[], program: Program): Promise<number> {
  const parsed = parseOptions(args, { ...userOptions, process: { type: 'string' } });
  const pid = given(parsed, 'process');
  const text = await textOf(parsed.positionals, program);
  const { online } = await withUserSession(parsed, program, (session) =>
    session.call('proc.tell', { text, ...(pid === undefined ? {} : { pid }) }, program.stopped),
  );
  program.output.write(online ? 'Told.\n' : 'Kept until a browser is open.\n');
  return 0;
}

async function textOf(words: readonly string[], { input }: Program): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await readAll(input) : words.join(' ');
  if (text.trim() === '') throw new UsageError('No message: gsv tell [--process PID] TEXT');
  if (text.length > TELL_CHARACTERS)
    throw new UsageError(`A message may have ${TELL_CHARACTERS} characters; put more into a file`);
  return text;
}

async function readAll(input: Program['input']): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const piece of input) {
    text += piece;
    if (text.length > TELL_CHARACTERS) break;
  }
  return text;
}
