import type { Result } from '../../shared/syscalls/table.ts';
import { UsageError } from '../usage.ts';
import { parseOptions, required } from './options.ts';
import type { Program } from './program.ts';
import { userOptions, withUserSession } from './user-session.ts';

/** `gsv read`: prints a file with numbered lines, or lists a directory. Resolves with the exit code. */
export async function read(args: string[], program: Program): Promise<number> {
  const parsed = parseOptions(args, {
    ...userOptions,
    target: { type: 'string' },
    offset: { type: 'string' },
    limit: { type: 'string' },
  });
  const target = required(parsed, 'target');
  const [path, ...more] = parsed.positionals;
  if (path === undefined || more.length > 0) throw new UsageError('gsv read takes one PATH');
  const part = {
    ...wholeNumber(parsed.values.offset, 'offset'),
    ...wholeNumber(parsed.values.limit, 'limit'),
  };
  const result = await withUserSession(parsed, program, (session) =>
    session.call('fs.read', { target, path, ...part }, program.stopped),
  );
  return print(result, program);
}

function wholeNumber<Name extends string>(
  text: string | boolean | undefined,
  name: Name,
): { [Key in Name]?: number } {
  if (text === undefined) return {};
  if (!/^\d+$/.test(String(text))) throw new UsageError(`--${name} must be a whole number`);
  return { [name]: Number(text) } as { [Key in Name]?: number };
}

function print(result: Result<'fs.read'>, { output, errors }: Program): number {
  if (!result.ok) {
    errors.write(`${result.error}\n`);
    return 1;
  }
  if ('files' in result) {
    for (const name of result.directories) output.write(`${name}/\n`);
    for (const name of result.files) output.write(`${name}\n`);
  } else if (typeof result.content === 'string') {
    if (result.content !== '') output.write(`${result.content}\n`);
  } else {
    for (const block of result.content) if (block.type === 'text') output.write(`${block.text}\n`);
  }
  return 0;
}
