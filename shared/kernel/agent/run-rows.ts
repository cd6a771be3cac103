import type { CallRow, QueueRow, ResultRow, RunRow } from '../../state/conversation.ts';
import type { AssistantBlock, ModelOutcome, StreamEvent } from '../ports/models.ts';
import type { NewMessage } from '../proc/message-log.ts';
import { failure } from './tool-result.ts';
import { noUsage } from './turn.ts';

/** The arguments of a call at which the model's output ended may be half of what it meant. */
export const CUT_OFF =
  'Not executed: your message ended at the length limit, in the middle of this call. Do it in smaller parts.';

/** A run that has just begun. */
export function newRun(
  { runId, owner, generation }: Pick<RunRow, 'runId' | 'owner' | 'generation'>,
  now: number,
): RunRow {
  return {
    runId,
    owner,
    epoch: null,
    generation,
    startedAt: now,
    phase: 'generating',
    turns: 0,
    repeated: { signature: '', count: 0 },
    usage: noUsage,
    provider: '',
    model: '',
    calls: [],
  };
}

/** What a process is given to answer: words of a person, or an event; `messageId` where it stands for a cause. */
export type Incoming = Pick<QueueRow, 'text' | 'origin' | 'media' | 'hops'> & { messageId?: string };

export function userMessage(
  { text, messageId, origin, media = [] }: Incoming,
  timestamp: number,
  runId: string,
): NewMessage {
  const known = { ...(messageId === undefined ? {} : { messageId }), ...(origin ? { origin } : {}) };
  const words = text === '' && media.length > 0 ? [] : [{ type: 'text' as const, text }];
  return { role: 'user', content: [...words, ...media], timestamp, runId, ...known };
}

/** A run whose calls are done, with what joined it. */
export function afterTools(run: RunRow, joined: readonly QueueRow[]): RunRow {
  const hops = Math.max(run.hops ?? 0, ...joined.map((row) => row.hops ?? 0));
  return { ...run, phase: 'generating', calls: [], ...(hops > 0 ? { hops } : {}) };
}

/** A queued message in the history, as a run of its own or where it joined one. */
export function fromQueue(row: QueueRow, joined = row.runId): NewMessage {
  return userMessage(row, row.queuedAt, joined);
}

/** What came of a call, as a message. */
export function resultMessage(
  call: CallRow,
  done: ResultRow | undefined,
  runId: string,
  now: number,
): NewMessage {
  const result =
    call.status === 'done' && done ? done : failure('Interrupted: the run was stopped before this finished.');
  const { startedAt, finishedAt } = call;
  return {
    role: 'toolResult',
    content: result.content,
    timestamp: finishedAt ?? now,
    runId,
    toolCallId: call.callId,
    key: call.key,
    toolName: call.toolName,
    ...(call.syscall ? { syscall: call.syscall } : {}),
    target: call.target,
    isError: result.isError,
    ...(startedAt !== null && finishedAt !== null ? { durationMs: finishedAt - startedAt } : {}),
  };
}

/** A message of the system, for the person and for the model. */
export function note(
  kind: 'error' | 'aborted' | 'limit' | 'event' | 'summary',
  text: string,
  timestamp: number,
  runId: string | null,
): NewMessage {
  return { role: 'system', content: [{ type: 'text', text }], timestamp, runId, note: kind };
}

/** Says by whom a run was stopped. */
export function stoppedNote({ runId, reset }: RunRow, now: number): NewMessage {
  const why = reset ? 'Stopped: the conversation was reset in another browser.' : 'Stopped by the user.';
  return note('aborted', why, now, runId);
}

/** The last event of a generation's stream. */
export function endOf(outcome: ModelOutcome): StreamEvent {
  if (outcome.kind === 'message') return { type: 'done', reason: outcome.stop };
  if (outcome.kind === 'aborted') return { type: 'error', reason: 'aborted', error: 'Stopped by the user.' };
  return { type: 'error', reason: 'error', error: outcome.error };
}

/** Providers send empty or repeated ids; results are found by them, so each must be its own. */
export function withOwnIds(content: AssistantBlock[], prefix: string): AssistantBlock[] {
  const seen = new Set<string>();
  return content.map((block, at) => {
    if (block.type !== 'toolCall') return block;
    const id = block.id === '' || seen.has(block.id) ? `${prefix}-${at}` : block.id;
    seen.add(id);
    return { ...block, id };
  });
}

export function repeatedCall(count: number): string {
  return `You have made this identical call ${count} times in a row. It was not executed again; do something else or answer.`;
}

/** What the open calls do, in one line for a person. */
export function describeCalls(calls: CallRow[]): string {
  const [first] = calls.filter((call) => call.status !== 'done');
  if (!first) return 'thinking';
  const more = calls.length > 1 ? ` and ${calls.length - 1} more` : '';
  const what = first.args.input ?? first.args.path ?? first.args.query ?? '';
  return `${first.toolName} ${String(what).split('\n')[0]}${more} · ${first.target || 'session'}`.slice(
    0,
    160,
  );
}
