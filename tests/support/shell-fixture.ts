import { fsHandlers } from '../../shared/kernel/fs/handlers.ts';
import type { Caller, CallOptions, Handlers, Invocation, Syscalls } from '../../shared/kernel/handler.ts';
import { shellHandler } from '../../shared/kernel/shell/shell.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { ByteStream } from '../../shared/protocol/streams.ts';
import { checkResult } from '../../shared/syscalls/gate.ts';
import type { Args, SyscallName } from '../../shared/syscalls/table.ts';
import { filesFixture } from './files-fixture.ts';

type Completed = {
  status: string;
  output: string;
  exitCode: number;
  error?: string;
  truncated?: boolean;
  ok?: boolean;
};
/** Syscalls that a test answers itself, by name. */
type Answers = Partial<Record<SyscallName, (args: never) => unknown>>;

const people = {
  alice: {
    uid: 1000,
    gid: 100,
    gids: [100],
    username: 'alice',
    home: '/home/alice',
    cwd: '/home/alice',
    workspaceId: null,
  },
  root: { uid: 0, gid: 0, gids: [0], username: 'root', home: '/root', cwd: '/root', workspaceId: null },
};

/** The native shell over a native filesystem; `fs` syscalls are real, others are the test's. */
export async function shellFixture(answers: Answers = {}) {
  const files = await filesFixture();
  const native = fsHandlers(files.fs) as Partial<Handlers>;
  const calls: [string, unknown][] = [];
  const open = async (caller: Caller, name: SyscallName, args: unknown, options: CallOptions = {}) => {
    calls.push([name, args]);
    let sent: ByteStream | undefined;
    const invocation = invocationOf(caller, options.signal, (stream) => {
      sent = stream;
    });
    const answer = answers[name] ?? native[name];
    if (!answer) throw new SyscallError(403, `Permission denied: ${name}`);
    const result = await (answer as (args: unknown, invocation: unknown) => unknown)(args, {
      ...invocation,
      stream: options.stream,
    });
    return { result: checkResult(name, result), stream: sent };
  };
  const syscallsFor = (caller: Caller) =>
    ({
      call: async (name, args, options) => (await open(caller, name, args, options)).result,
      open: (name, args, options) => open(caller, name, args, options),
    }) as Syscalls;
  const shell = shellHandler({
    fs: files.fs,
    syscallsFor,
    hostname: () => 'box',
    timezone: () => 'UTC',
    version: '1.2.3',
    clock: files.clock,
  });
  const exec = async (args: Args<'shell.exec'>, who: keyof typeof people = 'alice', signal?: AbortSignal) => {
    const caller: Caller = {
      identity: people[who],
      capabilities: ['*'],
      origin: { kind: 'process', pid: 'init:1000', runId: 'r1' },
    };
    return checkResult('shell.exec', await shell(args, invocationOf(caller, signal))) as Completed;
  };
  const run = async (input: string, who: keyof typeof people = 'alice') =>
    (await exec({ input }, who)).output;
  return { ...files, exec, run, calls };
}

function invocationOf(
  caller: Caller,
  signal = new AbortController().signal,
  sendBytes: Invocation['sendBytes'] = () => {},
): Invocation {
  return { caller, signal, key: undefined, stream: undefined, progress: () => {}, sendBytes };
}
