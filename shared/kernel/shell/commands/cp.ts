import { baseName } from '../../fs/paths.ts';
import { NATIVE_TARGET } from '../../routing.ts';
import {
  type CommandContext,
  type CommandResult,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';
import { fromCwd } from '../walk-files.ts';

type Side = { target: string; path: string };

/** `laptop:~/notes.txt`; a name that a slash precedes is a plain path. */
const TARGET_PATH = /^([a-z0-9][a-z0-9._-]{0,62}):(.+)$/;
/** A transfer may take longer than an ordinary call. */
const TRANSFER_MS = 10 * 60 * 1000;

export const cp: ShellCommand = {
  name: 'cp',
  summary: 'copy files here, or one file between any two targets',
  usage:
    'cp [-r] SOURCE... DESTINATION\ncp TARGET:PATH TARGET:PATH    TARGET is gsv or a device; without one it is gsv',
  async run(args, context) {
    if (!args.some((arg) => TARGET_PATH.test(arg))) return context.original(args);
    const paths = args.filter((arg) => !arg.startsWith('-'));
    if (paths.length !== args.length)
      return failed('cp', 'between targets one file is copied, without options');
    const [from, to, ...more] = paths.map((path) => sideOf(path, context));
    if (!from || !to || more.length > 0) return misused(cp);
    return transfer(from, to, context);
  },
};

function sideOf(argument: string, context: CommandContext): Side {
  const [, target = NATIVE_TARGET, path = argument] = TARGET_PATH.exec(argument) ?? [];
  if (target !== NATIVE_TARGET || path.startsWith('~')) return { target, path };
  return { target, path: fromCwd(path, context) + (path.endsWith('/') ? '/' : '') };
}

async function transfer(from: Side, to: Side, { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const options = { signal, timeoutMs: TRANSFER_MS };
  const source = await syscalls.open('fs.transfer.read', from, options);
  if (!source.result.ok) return failed('cp', `${shown(from)}: ${source.result.error}`);
  if (!source.stream) return failed('cp', `${shown(from)}: the answer came without bytes`);
  const into = to.path.endsWith('/') ? { ...to, path: to.path + baseName(source.result.path) } : to;
  try {
    const written = await syscalls.call('fs.transfer.write', into, { ...options, stream: source.stream });
    if (!written.ok) return failed('cp', `${shown(into)}: ${written.error}`);
    if (written.size !== source.result.size)
      return failed('cp', `${shown(into)}: ${written.size} of ${source.result.size} bytes`);
    return printed(
      `${shown(from)} -> ${shown({ ...into, path: written.path })} (${written.size} bytes, sha256 ${written.sha256})`,
    );
  } catch (error) {
    await source.stream.cancel(error).catch(() => {});
    throw error;
  }
}

function shown({ target, path }: Side): string {
  return `${target}:${path}`;
}
