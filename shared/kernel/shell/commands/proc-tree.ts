import type { Result } from '../../../syscalls/table.ts';
import { type CommandContext, type CommandResult, failed, printed } from '../command.ts';

type Listed = Result<'proc.list'>['processes'][number];

/** Processes below those that made them. */
export async function tree([root]: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { processes } = await syscalls.call('proc.list', {}, { signal });
  const known = new Set(processes.map(({ pid }) => pid));
  if (root !== undefined && !known.has(root)) return failed('proc', 'Process not found');
  const isTop = ({ pid, parentPid }: Listed): boolean =>
    root === undefined ? parentPid === null || !known.has(parentPid) : pid === root;
  return printed(
    processes
      .filter(isTop)
      .flatMap((row) => [line(row), ...below(row, processes, '')])
      .join('\n'),
  );
}

function below(parent: Listed, all: readonly Listed[], indent: string): string[] {
  const children = all.filter(({ parentPid }) => parentPid === parent.pid);
  return children.flatMap((row, at) => {
    const isLast = at === children.length - 1;
    return [
      `${indent}${isLast ? '└─ ' : '├─ '}${line(row)}`,
      ...below(row, all, `${indent}${isLast ? '   ' : '│  '}`),
    ];
  });
}

function line({ pid, label, profile, state }: Listed): string {
  return `${pid}  ${profile}  ${state}  ${label ?? '-'}`;
}
