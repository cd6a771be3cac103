import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import { checkCapability } from '../../syscalls/gate.ts';
import type { ScheduleTarget } from '../../syscalls/sched.ts';
import type { Result } from '../../syscalls/table.ts';
import { credentialsOf } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Caller, Syscalls } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { asksNothing } from './nothing-to-do.ts';
import { type Author, demandAllowed, type PrincipalParts, principal } from './principal.ts';
import { targetCall } from './target-call.ts';

/** What became of a tick. `final`: trying again would not help. */
export type Outcome = {
  status: 'ok' | 'error' | 'skipped';
  note: string;
  /** Why it failed, without what it printed: told in a notification, which others may see. */
  reason?: string;
  final?: boolean;
  /** Where what it said went, and under which id. */
  pid?: string;
  messageId?: string;
};

export type CarryOutParts = PrincipalParts & {
  fs: FileSystem;
  processes: Processes;
  clock: Clock;
  syscallsFor(caller: Caller): Syscalls;
};

/** One tick: `id` follows from the schedule and the fire, so that doing it again is seen. */
export type Tick = { id: string; row: ScheduleRow; author: Author; dueMs: number };

type EventTarget = Extract<ScheduleTarget, { kind: 'process.event' }>;
type Executed = Result<'shell.exec'>;

/** A command that goes on is asked after again at most for so long. */
const SHELL_MS = 5 * 60_000;
const CALL_MS = 2 * 60_000;
const NOTE_CHARACTERS = 2_000;
const FILE_CHARACTERS = 16_000;

/** Does what a schedule says, on its author's behalf and through every check. Never throws. */
export async function carryOut(parts: CarryOutParts, tick: Tick): Promise<Outcome> {
  try {
    const { row } = tick;
    const caller = principal(parts, row, tick.author);
    const { name, args } = targetCall(row.target, row);
    await demandAllowed(parts, caller, name, row.target);
    if (row.target.kind === 'process.event') return await tell(parts, tick, caller, row.target);
    const syscalls = parts.syscallsFor(caller);
    if (row.target.kind === 'shell.exec')
      return await execute(parts, syscalls, tick, args as { input: string });
    const answer = await syscalls.call(name, args as never, { key: tick.id, timeoutMs: CALL_MS });
    return answered(answer as Answer, tick);
  } catch (thrown) {
    return failure(thrown);
  }
}

type Answer = { ok?: boolean; error?: string; pid?: string };

function answered({ ok, error, pid }: Answer, { row }: Tick): Outcome {
  if (ok === false) return { status: 'error', note: error ?? 'It failed' };
  if (row.target.kind !== 'process.spawn' || pid === undefined) return { status: 'ok', note: 'Done' };
  // As `proc.spawn` gives a process its first message.
  return { status: 'ok', note: 'A process was started', pid, messageId: causeId('prompt', pid) };
}

async function tell(parts: CarryOutParts, tick: Tick, caller: Caller, target: EventTarget): Promise<Outcome> {
  const { pid, conversationId, unlessEmpty } = target;
  checkCapability(caller.capabilities, 'proc.send');
  parts.processes.demand(pid, caller.identity);
  const file = unlessEmpty === undefined ? '' : await asked(parts.fs, caller, unlessEmpty);
  if (file === null) return { status: 'skipped', note: `${unlessEmpty} asks for nothing` };
  const text = eventText(tick.row.name, target, file);
  const place = conversationId === undefined ? {} : { conversationId };
  await parts.processes.deliver(pid, { messageId: tick.id, text, origin: 'event', ...place });
  return { status: 'ok', note: 'The process was told', pid, messageId: tick.id };
}

/** The text of a file that asks for something; null when it does not, or is not there. */
async function asked(fs: FileSystem, caller: Caller, path: string): Promise<string | null> {
  const bytes = await fs.readFile(path, credentialsOf(caller)).catch(() => new Uint8Array());
  const text = new TextDecoder().decode(bytes);
  return asksNothing(text) ? null : text;
}

function eventText(name: string, { message, data, unlessEmpty }: EventTarget, file: string): string {
  const parts = [`Schedule “${name}”: ${message}`];
  if (data) parts.push(JSON.stringify(data, null, 2));
  if (unlessEmpty !== undefined) parts.push(`${unlessEmpty}:\n${file.slice(0, FILE_CHARACTERS)}`);
  return parts.join('\n\n');
}

async function execute(
  { clock }: CarryOutParts,
  syscalls: Syscalls,
  { id }: Tick,
  args: { input: string; target?: string },
): Promise<Outcome> {
  const until = clock.now() + SHELL_MS;
  let answer = await syscalls.call('shell.exec', args, { key: id, timeoutMs: CALL_MS });
  let output = 'output' in answer ? answer.output : '';
  while ('status' in answer && answer.status === 'running' && clock.now() < until) {
    answer = await syscalls.call(
      'shell.exec',
      { sessionId: answer.sessionId, input: '' },
      { timeoutMs: CALL_MS },
    );
    output += 'output' in answer ? answer.output : '';
  }
  return executed(answer, output);
}

function executed(answer: Executed, output: string): Outcome {
  const said = output.trim().slice(-NOTE_CHARACTERS);
  if ('ok' in answer) return { status: 'error', note: answer.error };
  if (answer.status === 'running') return { status: 'ok', note: `It is still running\n${said}`.trim() };
  const code = answer.exitCode ?? 0;
  if (answer.status === 'completed' && code === 0) return { status: 'ok', note: said };
  const why = answer.status === 'failed' ? answer.error : `It ended with code ${code}`;
  return { status: 'error', note: `${why}\n${said}`.trim(), reason: why };
}

function failure(thrown: unknown): Outcome {
  const known = thrown instanceof SyscallError;
  const final = known && thrown.code >= 400 && thrown.code < 500 && thrown.code !== 429;
  return { status: 'error', note: known ? thrown.message : `Internal error: ${messageOf(thrown)}`, final };
}
