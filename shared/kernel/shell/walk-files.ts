import { joinPath, normalPath } from '../fs/paths.ts';
import type { CommandContext } from './command.ts';

/** The path made absolute from the shell's current directory. */
export function fromCwd(path: string, { credentials }: CommandContext): string {
  return normalPath(path.startsWith('/') ? path : `${credentials.cwd}/${path}`);
}

/** A path and, with `recursive`, all below it, parents first; symbolic links below it are passed over. */
export async function* eachFile(
  path: string,
  recursive: boolean,
  context: CommandContext,
): AsyncGenerator<string> {
  yield path;
  if (!recursive) return;
  const { kind } = await context.fs.stat(path, context.credentials);
  if (kind !== 'dir') return;
  for (const entry of await context.fs.readdir(path, context.credentials)) {
    if (entry.kind !== 'symlink') yield* eachFile(joinPath(path, entry.name), true, context);
  }
}
