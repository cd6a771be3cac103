import type { CallRow } from '../../state/ipc.ts';
import type { ProcessRow } from '../../state/system.ts';

/** Of what another process said, in an event. All of it is in its history. */
const SAID_CHARACTERS = 16_000;
/** Of what a signal carries. */
const PAYLOAD_CHARACTERS = 4_000;

type Named = Pick<ProcessRow, 'pid' | 'label'>;
/** How the run ended that answers a call. */
export type Outcome = { status: 'ok' | 'error' | 'aborted' | 'gone'; text: string };

/** `process 1f2e… “Tidy the folder”`. */
export function named({ pid, label }: Named): string {
  const title = (label ?? '')
    .replaceAll(/[\s“”]+/g, ' ')
    .trim()
    .slice(0, 80);
  return title === '' ? `process ${pid}` : `process ${pid} “${title}”`;
}

export type Letter = { message: string; metadata?: Record<string, unknown> | undefined };

/** A message of another process. */
export function messageEvent(source: Named, letter: Letter): string {
  return `ipc.message from ${named(source)}${body(letter)}`;
}

/** A request of another process. */
export function callEvent(source: Named, callId: string, deadlineAt: number, letter: Letter): string {
  const until = new Date(deadlineAt).toISOString();
  return `ipc.call ${callId} from ${named(source)}: your last answer goes back to it, if it comes before ${until}${body(letter)}`;
}

/** What a child is to do. */
export function delegateEvent(source: Named, callId: string, deadlineAt: number, prompt: string): string {
  const until = new Date(deadlineAt).toISOString();
  return `delegate ${callId} from ${named(source)}: do this, and report in your last answer before ${until}\n\n${prompt}`;
}

const endings: Record<Outcome['status'], string> = {
  ok: 'answered',
  error: 'failed',
  aborted: 'was stopped',
  gone: 'can answer no more',
};

/** The end of a call, for who waits. */
export function replyEvent({ callId, kind }: CallRow, target: Named, { status, text }: Outcome): string {
  const said = cut(text.trim(), SAID_CHARACTERS, `The rest: proc history ${target.pid}`);
  const name = kind === 'delegate' ? 'delegate.result' : 'ipc.reply';
  return `${name} ${callId}: ${named(target)} ${endings[status]}${said === '' ? '' : `\n\n${said}`}`;
}

export function timeoutEvent({ callId, kind, startedAt, deadlineAt }: CallRow, target: Named): string {
  const seconds = Math.round((deadlineAt - startedAt) / 1000);
  if (kind === 'call')
    return `ipc.timeout ${callId}: ${named(target)} has not answered within ${seconds} s. It is told no more of it; a later answer is not sent.`;
  return `delegate.timeout ${callId}: ${named(target)} was stopped after ${seconds} s without a result. What it did: proc history ${target.pid}`;
}

export type Watched = {
  signal: string;
  payload: Record<string, unknown>;
  process: Named | undefined;
  key: string | null;
  state: unknown;
};

/** A signal, for who watches it. */
export function signalEvent({ signal, payload, process, key, state }: Watched): string {
  const about = process ? ` of ${named(process)}` : '';
  const lines = [
    ...(key === null ? [] : [`key: ${key}`]),
    ...(state === undefined ? [] : [`state: ${JSON.stringify(state)}`]),
    cut(JSON.stringify(payload), PAYLOAD_CHARACTERS, 'It is longer than this.'),
  ];
  return `signal ${signal}${about}\n\n${lines.join('\n')}`;
}

function body({ message, metadata }: Letter): string {
  const about = metadata === undefined ? '' : `\n\nmetadata: ${JSON.stringify(metadata)}`;
  return `\n\n${message}${about}`;
}

function cut(text: string, most: number, rest: string): string {
  return text.length <= most ? text : `${text.slice(0, most)}…\n(${text.length} characters. ${rest})`;
}
