import type { Args } from '../../../syscalls/table.ts';
import { type CommandContext, type CommandResult, failed } from '../command.ts';
import { workspaceOf } from './proc-spawn.ts';
import { answered, isPid, numberOf, parse } from './proc-words.ts';

/** To another process as this one; a person's words to any. */
export async function send(args: string[], context: CommandContext): Promise<CommandResult> {
  const { options, words, problem } = parse(args, ['pid']);
  if (problem) return failed('proc send', problem, 2);
  const { syscalls, signal, credentials } = context;
  const isProcess = credentials.pid !== undefined;
  const pid = options.pid ?? (isProcess || isPid(words[0]) ? words.shift() : undefined);
  const message = words.join(' ') || context.stdin();
  if (message === '' || (isProcess && pid === undefined))
    return failed('proc send', 'say whom and what: proc send PID MESSAGE', 2);
  const said = (sent: { runId: string; queued?: boolean }): string =>
    sent.queued ? 'queued' : `run ${sent.runId}`;
  if (isProcess && pid !== undefined)
    return answered(syscalls.call('proc.ipc.send', { pid, message }, { signal }), said);
  const asked = { message, ...(pid === undefined ? {} : { pid }) };
  return answered(syscalls.call('proc.send', asked, { signal }), said);
}

export async function call(args: string[], context: CommandContext): Promise<CommandResult> {
  const { options, words, problem } = parse(args, ['timeout']);
  const timeoutMs = numberOf(options.timeout, 1000);
  const [pid, ...rest] = words;
  const message = rest.join(' ') || context.stdin();
  if (problem || timeoutMs === null)
    return failed('proc call', problem ?? `invalid timeout: ${options.timeout}`, 2);
  if (pid === undefined || message === '')
    return failed('proc call', 'say whom and what: proc call PID MESSAGE', 2);
  const asked = { pid, message, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return answered(
    context.syscalls.call('proc.ipc.call', asked, { signal: context.signal }),
    ({ callId, deadlineAt }) =>
      `call ${callId}\nThe answer comes as an event, at the latest ${new Date(deadlineAt).toISOString()}. End your turn to wait for it.`,
  );
}

export async function delegate(args: string[], context: CommandContext): Promise<CommandResult> {
  const valued = ['profile', 'label', 'workspace', 'timeout', 'turns', 'cost'];
  const { options, words, problem } = parse(args, valued);
  const limits = {
    timeoutMs: numberOf(options.timeout, 1000),
    maxTurns: numberOf(options.turns),
    maxCost: numberOf(options.cost),
  };
  const wrong = Object.entries(limits).find(([, value]) => value === null);
  const prompt = words.join(' ') || context.stdin();
  if (problem || wrong) return failed('proc delegate', problem ?? `invalid ${wrong?.[0]}`, 2);
  if (prompt === '') return failed('proc delegate', 'say what is to be done', 2);
  const given = Object.entries(limits).filter(([, value]) => typeof value === 'number');
  const asked: Args<'proc.delegate'> = {
    prompt,
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.workspace === undefined ? {} : { workspace: workspaceOf(options.workspace) }),
    ...(Object.fromEntries(given) as Pick<Args<'proc.delegate'>, 'timeoutMs' | 'maxTurns' | 'maxCost'>),
  };
  return answered(
    context.syscalls.call('proc.delegate', asked, { signal: context.signal }),
    ({ callId, pid, deadlineAt }) =>
      `child ${pid}, call ${callId}\nIts result comes as an event, at the latest ${new Date(deadlineAt).toISOString()}. Go on with other work, or end your turn to wait for it.`,
  );
}
