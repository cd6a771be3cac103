import { SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import { checkArgs } from '../../syscalls/gate.ts';
import type { ScheduleTarget } from '../../syscalls/sched.ts';
import { isSyscall, type SyscallName } from '../../syscalls/table.ts';
import { NATIVE_TARGET } from '../routing.ts';

/** The syscall that a target comes down to, with its arguments. */
export type TargetCall = { name: SyscallName; args: Record<string, unknown> };

/** Names by which kernels may know these, the first that there is. */
const LIFECYCLE: Record<'compact' | 'reset' | 'checkpoint', readonly string[]> = {
  compact: ['proc.conversation.compact'],
  reset: ['proc.conversation.reset', 'proc.reset'],
  checkpoint: ['proc.conversation.checkpoint', 'proc.checkpoint'],
};
type Lifecycle = Extract<ScheduleTarget, { kind: 'process.lifecycle' }>;

const SPAWN_PROFILE = 'cron';
const LABEL_CHARACTERS = 200;

/** Throws 400 when a target cannot be: this kernel has no such call, or it would refuse the arguments. */
export function targetCall(target: ScheduleTarget, { name }: Pick<ScheduleRow, 'name'>): TargetCall {
  switch (target.kind) {
    case 'process.spawn': {
      const { kind: _, profile = SPAWN_PROFILE, label = name.slice(0, LABEL_CHARACTERS), ...rest } = target;
      return checked('proc.spawn', { profile, label, ...rest });
    }
    case 'process.event':
      return checked('proc.send', { pid: target.pid, message: target.message });
    case 'process.lifecycle': {
      const { pid, conversationId, action, options } = target;
      const conversation = conversationId === undefined ? {} : { conversationId };
      return checked(lifecycleCall(action), { pid, ...conversation, ...summarised(target), ...options });
    }
    case 'shell.exec': {
      const { kind: _, ...args } = target;
      return checked('shell.exec', args);
    }
  }
}

/** Whether doing it a second time under the same id is doing it once: then a tick that was cut off is done again. */
export function isRepeatable(target: ScheduleTarget): boolean {
  if (target.kind === 'process.lifecycle') return target.action === 'checkpoint';
  return target.kind !== 'shell.exec' || (target.target ?? NATIVE_TARGET) !== NATIVE_TARGET;
}

/** What is taken out of a conversation leaves a summary: the model's, when none is given. */
function summarised({ action, options = {} }: Lifecycle): Record<string, unknown> {
  return action === 'compact' && options.summary === undefined ? { generateSummary: true } : {};
}

function lifecycleCall(action: keyof typeof LIFECYCLE): SyscallName {
  const found = LIFECYCLE[action].find(isSyscall);
  if (!found) throw new SyscallError(400, `This GSV cannot ${action} a process`);
  return found;
}

function checked(name: SyscallName, args: Record<string, unknown>): TargetCall {
  checkArgs(name, args);
  return { name, args };
}
