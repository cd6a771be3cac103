import type { CallRow, MessageRow } from '../../../shared/state/conversation.ts';
import { DENIED_BY_PERSON } from '../../../shared/state/conversation-names.ts';
import { showHidden, terminalText } from '../parts/machine-text.ts';
import { bytes } from '../parts/words.ts';
import { textOf } from './messages.ts';

/** How a call stands, for the dot and the words on its card. */
export type CallState = 'waiting' | 'asking' | 'running' | 'done' | 'denied' | 'failed' | 'interrupted';

/** What is known of a call's outcome: from its stored message, or before that from the signal of its end. */
export type CallOutcome = Pick<MessageRow, 'content' | 'isError' | 'syscall' | 'durationMs'>;

export function callState(
  outcome: CallOutcome | undefined,
  pending: CallRow | undefined,
  runGoesOn: boolean,
): CallState {
  if (outcome?.isError === true) return textOf(outcome) === DENIED_BY_PERSON ? 'denied' : 'failed';
  if (outcome !== undefined) return 'done';
  if (pending === undefined) return runGoesOn ? 'waiting' : 'interrupted';
  return pending.status === 'ready' ? 'waiting' : pending.status;
}

type Arguments = Record<string, unknown>;

export type CallWords = {
  /** What a machine would run or touch. Safe to show as it is. */
  subject: string;
  /** The verb before it; empty for a command, which is its own verb. */
  verb: string;
  target: string;
  detail: CallDetail;
};

export type CallDetail =
  | { kind: 'none' }
  | { kind: 'command'; text: string }
  | { kind: 'edit'; before: string; after: string; everywhere: boolean }
  | { kind: 'content'; text: string }
  | { kind: 'arguments'; text: string };

export function callWords(toolName: string, args: Arguments): CallWords {
  const target = showHidden(text(args.target) || 'gsv');
  const path = showHidden(text(args.path));
  const about = (verb: string, subject: string, detail: CallDetail = { kind: 'none' }): CallWords => ({
    verb,
    subject,
    target,
    detail,
  });
  switch (toolName) {
    case 'Shell':
      return shellWords(args, about);
    case 'Read':
      return about('Read', path + range(args));
    case 'Write':
      return about('Write', path, { kind: 'content', text: showHidden(text(args.content)) });
    case 'Edit':
      return about('Edit', path, {
        kind: 'edit',
        before: showHidden(text(args.oldString)),
        after: showHidden(text(args.newString)),
        everywhere: args.replaceAll === true,
      });
    case 'Delete':
      return about('Delete', path);
    case 'Search':
      return about('Search', `“${showHidden(text(args.query))}”${path === '' ? '' : ` in ${path}`}`);
    default:
      return about(toolName, '', { kind: 'arguments', text: showHidden(JSON.stringify(args, null, 2)) });
  }
}

function shellWords(
  args: Arguments,
  about: (verb: string, subject: string, detail?: CallDetail) => CallWords,
): CallWords {
  const input = showHidden(text(args.input));
  if (text(args.sessionId) !== '')
    return input === '' ? about('Wait', 'for the running command') : about('Type', input.trim());
  const first = input.trim().split('\n')[0] ?? '';
  return about(
    '',
    first,
    first === input.trim() ? { kind: 'none' } : { kind: 'command', text: input.trim() },
  );
}

function range(args: Arguments): string {
  if (typeof args.offset !== 'number' && typeof args.limit !== 'number') return '';
  const from = typeof args.offset === 'number' ? args.offset + 1 : 1;
  return typeof args.limit === 'number'
    ? ` · lines ${from}–${from + args.limit - 1}`
    : ` · from line ${from}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export type CallOutput = { text: string; exitCode: number | null; running: boolean };

/** How the kernel ends the text of a command (its exit code, its session, or why it failed). */
const shellEnding = /\n?\[(?:exit (-?\d+)|still running; sessionId [^\]]*|failed: ([^\]]*))\]$/;

/** What a call gave back, as text for a person. Results that are JSON of a known shape are unpacked. */
export function callOutput(content: Pick<MessageRow, 'content'>): CallOutput {
  const raw = textOf(content).trimEnd();
  const ending = shellEnding.exec(raw);
  const body =
    ending === null ? raw : raw.slice(0, ending.index) + (ending[2] === undefined ? '' : `\n${ending[2]}`);
  const parsed = parseObject(body);
  const shown = terminalText(parsed === null ? body : unpack(parsed, body)).replace(/\s+$/, '');
  return {
    text: shown,
    exitCode: ending?.[1] === undefined ? null : Number(ending[1]),
    running: ending?.[0].includes('[still running') === true,
  };
}

function unpack(result: Record<string, unknown>, raw: string): string {
  const { files, directories, matches } = result;
  if (Array.isArray(files) || Array.isArray(directories)) {
    return [...list(directories).map((name) => `${name}/`), ...list(files)].join('\n');
  }
  if (Array.isArray(matches)) return matches.map(matchLine).join('\n');
  if (typeof result.replacements === 'number')
    return result.replacements === 1 ? '1 place changed' : `${result.replacements} places changed`;
  if (result.ok === true && typeof result.path === 'string') {
    return typeof result.size === 'number' ? `${result.path}, ${bytes(result.size)}` : result.path;
  }
  return raw;
}

function matchLine(match: unknown): string {
  const { path, line, content } = (match ?? {}) as { path?: unknown; line?: unknown; content?: unknown };
  return `${path}:${line}: ${content}`;
}

function list(names: unknown): string[] {
  return Array.isArray(names) ? names.map(String) : [];
}

function parseObject(raw: string): Record<string, unknown> | null {
  if (!raw.startsWith('{')) return null;
  try {
    const parsed: unknown = JSON.parse(raw);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
