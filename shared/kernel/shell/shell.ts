import type { Bash, BashOptions, Command } from 'just-bash/browser';
import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import type { Result } from '../../syscalls/table.ts';
import { type Credentials, credentialsOf } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { FsError } from '../fs/fs-error.ts';
import type { Caller, Handler, Syscalls } from '../handler.ts';
import type { Space } from '../ports/doc-store.ts';
import { BashFiles, bytesOf } from './bash-files.ts';
import type { CommandContext, CommandResult, ShellCommand } from './command.ts';
import { shellCommands } from './commands.ts';
import { mayBeEndless } from './endless-syntax.ts';
import { guardRedirects } from './guard-redirects.ts';
import { type Interpreter, loadInterpreter } from './interpreter.ts';
import { limitProblem, shellLimits } from './limits.ts';

type Executed = Result<'shell.exec'>;

export type ShellParts = {
  fs: FileSystem;
  /** Syscalls as this caller, for the shell's commands. */
  syscallsFor: (caller: Caller) => Syscalls;
  hostname: () => string;
  /** An IANA time zone name. */
  timezone: () => string;
  version: string;
  clock: Clock;
};

/** `shell.exec` on the native target: one script over the native filesystem. Nothing of it lasts but files. */
export function shellHandler(parts: ShellParts): Handler<'shell.exec'> {
  return async (args, { caller, signal }) => {
    if (args.sessionId !== undefined)
      return { ok: false, error: 'The native shell keeps no sessions: leave out sessionId' };
    const credentials = credentialsOf(caller);
    try {
      const cwd = await directory(parts.fs, args.cwd ?? '.', credentials);
      const script = new Script(parts, await loadInterpreter(), caller, { ...credentials, cwd });
      return await script.run(args.input, signal);
    } catch (error) {
      if (error instanceof FsError) return { ok: false, error: error.message };
      throw error;
    }
  };
}

async function directory(fs: FileSystem, path: string, credentials: Credentials): Promise<string> {
  const real = await fs.realpath(path, credentials);
  const { kind } = await fs.stat(real, credentials);
  if (kind !== 'dir') throw new FsError('ENOTDIR', path);
  return real;
}

/** One run of the shell. */
class Script {
  readonly #parts: ShellParts;
  readonly #interpreter: Interpreter;
  readonly #caller: Caller;
  readonly #credentials: Credentials;
  readonly #abort = new AbortController();
  readonly #fs: FileSystem;
  readonly #files: BashFiles;
  /** What takes back what it changed. */
  readonly #changed: (() => void)[] = [];
  /** To remove alone makes room. */
  #space: Space = 'reserve';

  constructor(parts: ShellParts, interpreter: Interpreter, caller: Caller, credentials: Credentials) {
    this.#parts = parts;
    this.#interpreter = interpreter;
    this.#caller = caller;
    this.#credentials = credentials;
    this.#fs = parts.fs.noting((takeBack, space) => {
      this.#changed.push(takeBack);
      if (space === 'free') this.#space = space;
    });
    this.#files = new BashFiles(this.#fs, credentials, programNames(interpreter));
  }

  async run(input: string, signal: AbortSignal): Promise<Executed> {
    let stopped: string | undefined;
    const stop = (why: string): void => {
      stopped ??= why;
      this.#abort.abort(new Error(why));
    };
    const onAbort = (): void => stop('aborted');
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const seconds = shellLimits.timeMs / 1000;
    const cancel = this.#parts.clock.after(shellLimits.timeMs, () => stop(`no end after ${seconds} s`));
    try {
      const result = await this.#settled(input);
      await this.#fs.durable(() => this.#takeBack(), this.#space);
      return outcome(result, stopped);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #takeBack(): void {
    for (const takeBack of this.#changed.toReversed()) takeBack();
  }

  /** Ends when the script does, or a moment after it was stopped. */
  #settled(input: string): Promise<CommandResult> {
    const lost: CommandResult = { stdout: '', stderr: '', exitCode: 124 };
    const given = new Promise<CommandResult>((resolve) => {
      const later = () => this.#parts.clock.after(shellLimits.graceMs, () => resolve(lost));
      if (this.#abort.signal.aborted) later();
      else this.#abort.signal.addEventListener('abort', later, { once: true });
    });
    return Promise.race([this.#executed(input), given]);
  }

  async #executed(input: string): Promise<CommandResult> {
    const { signal } = this.#abort;
    if (mayBeEndless(input))
      return {
        stdout: '',
        stderr: 'bash: a lone $ in a script with arithmetic cannot be read here\n',
        exitCode: 2,
      };
    try {
      const { stdout, stderr, exitCode } = await this.#bash().exec(input, { rawScript: true, signal });
      return { stdout, stderr: this.#files.refusals.correct(stderr), exitCode };
    } catch (error) {
      return { stdout: '', stderr: `bash: ${messageOf(error)}\n`, exitCode: 1 };
    }
  }

  #bash(): Bash {
    const { uid, gid, cwd } = this.#credentials;
    const options: BashOptions = {
      fs: this.#files,
      cwd,
      env: this.#environment(),
      executionLimits: shellLimits.interpreter,
      customCommands: shellCommands.map((command) => this.#command(command)),
      processInfo: { pid: 1, ppid: 0, uid, gid },
      sleep: (ms) => pause(this.#parts.clock, ms, this.#abort.signal),
      // Its host-wide patches would reach the kernel's other work; scripts have no way to run JavaScript here.
      defenseInDepth: false,
    };
    const bash = new this.#interpreter.Bash(options);
    bash.registerTransformPlugin(guardRedirects);
    return bash;
  }

  #environment(): Record<string, string> {
    const { identity, origin } = this.#caller;
    return {
      HOME: identity.home,
      USER: identity.username,
      LOGNAME: identity.username,
      PWD: this.#credentials.cwd,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TZ: this.#parts.timezone(),
      HOSTNAME: this.#parts.hostname(),
      ...(origin.kind === 'process' ? { GSV_PID: origin.pid, GSV_RUN_ID: origin.runId } : {}),
      ...(identity.workspaceId ? { GSV_WORKSPACE_ID: identity.workspaceId } : {}),
    };
  }

  #command(command: ShellCommand): Command {
    const { name } = command;
    return this.#interpreter.defineCommand(name, async (args, shell) => {
      const context: CommandContext = {
        fs: this.#fs,
        credentials: { ...this.#credentials, cwd: shell.cwd },
        identity: this.#caller.identity,
        commands: shellCommands,
        syscalls: this.#parts.syscallsFor(this.#caller),
        hostname: this.#parts.hostname(),
        version: this.#parts.version,
        signal: this.#abort.signal,
        stdin: () => utf8(String(shell.stdin)),
        original: async (rest) => shell.origCommand?.(rest) ?? { stdout: '', stderr: '', exitCode: 127 },
      };
      try {
        return await command.run(args, context);
      } catch (error) {
        if (!(error instanceof FsError || error instanceof SyscallError)) throw error;
        return { stdout: '', stderr: `${name}: ${error.message}\n`, exitCode: 1 };
      }
    });
  }
}

function outcome({ stdout, stderr, exitCode }: CommandResult, stopped: string | undefined): Executed {
  const { output, truncated } = cutToBytes(stdout + stderr, shellLimits.outputBytes);
  const cut = truncated ? { truncated } : {};
  const error = stopped ?? limitProblem(exitCode, stderr);
  if (error !== undefined) return { status: 'failed', output, error, exitCode, ...cut };
  return { status: 'completed', output, exitCode, ...cut };
}

/** The longest beginning that takes at most `bytes` in UTF-8, without half a character at its end. */
function cutToBytes(text: string, bytes: number): { output: string; truncated: boolean } {
  if (text.length * 3 <= bytes) return { output: text, truncated: false };
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return { output: text, truncated: false };
  const output = new TextDecoder().decode(encoded.subarray(0, bytes), { stream: true });
  return { output, truncated: true };
}

/** The text of a byte string, one byte a character, as the shell's pipes carry it. */
function utf8(byteString: string): string {
  return new TextDecoder().decode(bytesOf(byteString));
}

function programNames({ getCommandNames }: Interpreter): ReadonlySet<string> {
  return new Set([...getCommandNames(), ...shellCommands.map(({ name }) => name)]);
}
