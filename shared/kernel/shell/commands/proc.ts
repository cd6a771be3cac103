import type { Result } from '../../../syscalls/table.ts';
import {
  type CommandContext,
  type CommandResult,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';
import { call, delegate, send } from './proc-messages.ts';
import { search } from './proc-search.ts';
import { spawn } from './proc-spawn.ts';
import { tree } from './proc-tree.ts';
import { unwatch, watch, watches } from './proc-watch.ts';
import { answered, parse } from './proc-words.ts';
import { ps } from './ps.ts';

type Subcommand = (args: string[], context: CommandContext) => Promise<CommandResult>;

const help: Subcommand = async () => printed(`${proc.usage}\n\n${proc.notes}`);

const subcommands: Record<string, Subcommand> = {
  list: ps.run,
  tree,
  spawn,
  send,
  call,
  delegate,
  watch,
  unwatch,
  watches,
  abort: (args, { syscalls, signal }) =>
    answered(syscalls.call('proc.abort', pidOf(args), { signal }), aborted),
  kill,
  reset: (args, { syscalls, signal }) =>
    answered(
      syscalls.call('proc.reset', pidOf(args), { signal }),
      (done) => `archived ${done.archivedMessages} messages`,
    ),
  history,
  search,
  help,
  '--help': help,
  '-h': help,
};

export const proc: ShellCommand = {
  name: 'proc',
  summary: 'list, start, message, delegate to and end processes',
  usage: `proc list
proc tree [PID]
proc spawn [--profile PROFILE] [--label LABEL] [--workspace none|new|inherit|ID] [PROMPT]
proc send PID MESSAGE
proc call PID [--timeout SECONDS] MESSAGE
proc delegate [--timeout SECONDS] [--turns N] [--cost DOLLARS] [--profile PROFILE] [--label LABEL] [--workspace none|new|inherit|ID] PROMPT
proc watch SIGNAL [--pid PID] [--key KEY] [--state JSON] [--ttl SECONDS] [--always]
proc unwatch KEY|WATCH
proc watches
proc abort [PID]
proc kill PID
proc reset [PID]
proc history [PID] [--limit N]
proc search [--pid PID] [--limit N] WORDS`,
  notes: `delegate makes a child process for one piece of work and returns at once; its last answer comes back as an
event. Give it all it needs to know: it sees nothing of this conversation. Several children work at the
same time. --turns bounds each of its runs; --cost and --timeout (10 min unless given) all of its work.
call asks a process that is there (60 s unless given, at most 600); send tells it something and waits for
nothing. watch brings one event when a process (proc.run.finished --pid PID), a device (device.status) or a
notification (notification.*) does something; --always brings one each time. search finds what was said
before, also what was archived, and names the file to read it in (one message a line). MESSAGE and PROMPT may also
come from standard input; what follows -- is no option.`,
  async run([name = 'list', ...rest], context) {
    if (rest.includes('--help') && rest.length === 1) return help(rest, context);
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    return subcommand ? subcommand(rest, context) : misused(proc);
  },
};

function pidOf([pid]: readonly string[]): { pid?: string } {
  return pid === undefined ? {} : { pid };
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
  const { options, words, problem } = parse(args, ['limit']);
  const limit = Number(options.limit ?? 20);
  if (problem || !Number.isInteger(limit) || limit < 1)
    return failed('proc', problem ?? `invalid limit: ${options.limit}`);
  const [pid] = words;
  const asked = { limit, ...(pid === undefined ? {} : { pid }) };
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
