import type { Args } from '../../../syscalls/table.ts';
import { type CommandContext, type CommandResult, failed, printed } from '../command.ts';
import { numberOf, parse } from './proc-words.ts';

export async function watch(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { options, flags, words, problem } = parse(args, ['pid', 'key', 'state', 'ttl'], ['always']);
  const ttlMs = numberOf(options.ttl, 1000);
  const [name, ...rest] = words;
  if (problem || ttlMs === null) return failed('proc watch', problem ?? `invalid ttl: ${options.ttl}`, 2);
  if (name === undefined || rest.length > 0) return failed('proc watch', 'say which signal', 2);
  const asked: Args<'signal.watch'> = {
    signal: name,
    ...(options.pid === undefined ? {} : { processId: options.pid }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.state === undefined ? {} : { state: jsonOrText(options.state) }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(flags.has('always') ? { once: false } : {}),
  };
  const { watchId, created, expiresAt } = await syscalls.call('signal.watch', asked, { signal });
  const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toISOString()}`;
  return printed(`${created ? 'watch' : 'changed watch'} ${watchId}${until}`);
}

/** By key, or by id. */
export async function unwatch(
  [name, ...rest]: string[],
  { syscalls, signal }: CommandContext,
): Promise<CommandResult> {
  if (name === undefined || rest.length > 0) return failed('proc unwatch', 'say which watch', 2);
  const byKey = await syscalls.call('signal.unwatch', { key: name }, { signal });
  const removed =
    byKey.removed > 0
      ? byKey.removed
      : (await syscalls.call('signal.unwatch', { watchId: name }, { signal })).removed;
  return removed > 0 ? printed(`removed ${removed}`) : failed('proc unwatch', `there is no watch ${name}`);
}

export async function watches(_args: string[], { fs, credentials }: CommandContext): Promise<CommandResult> {
  const bytes = await fs.readFile('/proc/self/watches', credentials);
  return printed(new TextDecoder().decode(bytes));
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
