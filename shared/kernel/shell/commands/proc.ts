import type { Args, Result } from '../../../syscalls/table.ts';
import {
  type CommandContext,
  type CommandResult,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';
import { ps } from './ps.ts';

type Subcommand = (args: string[], context: CommandContext) => Promise<CommandResult>;

const subcommands: Record<string, Subcommand> = {
  list: ps.run,
  spawn,
  send,
  abort: (args, { syscalls, signal }) =>
    answered(syscalls.call('proc.abort', pidOf(args), { signal }), aborted),
  kill,
  reset: (args, { syscalls, signal }) =>
    answered(
      syscalls.call('proc.reset', pidOf(args), { signal }),
      (done) => `archived ${done.archivedMessages} messages`,
    ),
  history,
};

export const proc: ShellCommand = {
  name: 'proc',
  summary: 'list, start, message and end processes',
  usage: `proc list
proc spawn [--profile PROFILE] [--label LABEL] [PROMPT]
proc send [--pid PID] MESSAGE
proc abort [PID]
proc kill PID
proc reset [PID]
proc history [PID] [--limit N]`,
  async run([name = 'list', ...rest], context) {
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    return subcommand ? subcommand(rest, context) : misused(proc);
  },
};

/** Options with a value, and the other arguments joined. */
function parse(
  args: readonly string[],
  names: readonly string[],
): { options: Record<string, string>; text: string } {
  const options: Record<string, string> = {};
  const words: string[] = [];
  const left = args.values();
  for (const arg of left) {
    if (names.includes(arg.slice(2)) && arg.startsWith('--')) options[arg.slice(2)] = left.next().value ?? '';
    else words.push(arg);
  }
  return { options, text: words.join(' ') };
}

function pidOf([pid]: readonly string[]): { pid?: string } {
  return pid === undefined ? {} : { pid };
}

type Failure = { ok: false; error: string };

async function answered<Answer extends { ok: boolean }>(
  asked: Promise<Answer>,
  describe: (answer: Exclude<Answer, Failure>) => string,
): Promise<CommandResult> {
  const answer = await asked;
  if (!answer.ok) return failed('proc', (answer as unknown as Failure).error);
  return printed(describe(answer as Exclude<Answer, Failure>));
}

async function spawn(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { options, text } = parse(args, ['profile', 'label']);
  const asked: Args<'proc.spawn'> = {
    profile: options.profile ?? 'task',
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(text === '' ? {} : { prompt: text }),
  };
  return answered(syscalls.call('proc.spawn', asked, { signal }), (made) => made.pid);
}

async function send(args: string[], { syscalls, signal, stdin }: CommandContext): Promise<CommandResult> {
  const { options, text } = parse(args, ['pid']);
  const message = text || stdin();
  if (message === '') return misused(proc);
  const asked = { message, ...(options.pid === undefined ? {} : { pid: options.pid }) };
  return answered(syscalls.call('proc.send', asked, { signal }), (sent) =>
    sent.queued ? 'queued' : `run ${sent.runId}`,
  );
}

function aborted(done: Extract<Result<'proc.abort'>, { ok: true }>): string {
  return done.aborted ? `aborted run ${done.runId ?? ''}`.trim() : 'no run was active';
}

async function kill(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { pid } = pidOf(args);
  if (pid === undefined) return misused(proc);
  return answered(
    syscalls.call('proc.kill', { pid }, { signal }),
    (done) => `archived ${done.archivedMessages} messages`,
  );
}

async function history(args: string[], { syscalls, signal }: CommandContext): Promise<CommandResult> {
  const { options, text: pid } = parse(args, ['limit']);
  const limit = Number(options.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) return failed('proc', `invalid limit: ${options.limit}`);
  const asked = { limit, ...(pid === '' ? {} : { pid }) };
  return answered(syscalls.call('proc.history', asked, { signal }), ({ messages }) =>
    messages.map(({ id, role, content }) => `#${id} ${role}: ${plain(content)}`).join('\n'),
  );
}

/** What a message says, with its other blocks named. */
function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map(
      (block: { type?: string; text?: string; name?: string }) =>
        block.text ?? `[${block.name ?? block.type}]`,
    )
    .join(' ');
}
