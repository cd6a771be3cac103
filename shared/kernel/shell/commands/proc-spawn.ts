import type { Args } from '../../../syscalls/table.ts';
import { type CommandContext, type CommandResult, failed } from '../command.ts';
import { answered, parse } from './proc-words.ts';

type Workspace = NonNullable<Args<'proc.spawn'>['workspace']>;

/** `none`, `new`, `inherit`, or the id of a workspace. */
export function workspaceOf(word: string): Workspace {
  if (word === 'none' || word === 'new' || word === 'inherit') return { mode: word };
  return { mode: 'attach', workspaceId: word };
}

export async function spawn(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { options, words, problem } = parse(args, ['profile', 'label', 'workspace']);
  if (problem) return failed('proc spawn', problem, 2);
  const prompt = words.join(' ');
  const asked: Args<'proc.spawn'> = {
    profile: options.profile ?? 'task',
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.workspace === undefined ? {} : { workspace: workspaceOf(options.workspace) }),
    ...(prompt === '' ? {} : { prompt }),
  };
  return answered(syscalls.call('proc.spawn', asked, { signal }), (made) => made.pid);
}
