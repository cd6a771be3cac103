import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type DriverOptions = {
  /** The server's address, as a person types it. */
  url: string;
  token: string;
  id: string;
  workspace: string;
  stateDir: string;
  /** More arguments of `gsv device run`. */
  args?: string[];
  environment?: NodeJS.ProcessEnv;
  /** A program, with its arguments, that becomes the driver. */
  under?: string[];
};

/** A driver as its own process, from the file that people download. */
export type RunningDriver = {
  readonly process: ChildProcess;
  /** Resolves when the driver has said that it is connected, for the `times`th time. */
  waitConnected(times?: number): Promise<void>;
  /** Resolves when standard error holds this text. */
  waitFor(text: string, timeoutMs?: number): Promise<void>;
  /** Everything printed so far. */
  output(): string;
  /** Asks it to end, as Ctrl-C does; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
};

/** The driver's single file, as it is built before the tests. */
const builtDriver = fileURLToPath(new URL('../../dist/gsv.mjs', import.meta.url));
const WAIT_MS = 20_000;

export async function startDriver(options: DriverOptions): Promise<RunningDriver> {
  const secrets = await mkdtemp(join(tmpdir(), 'gsv-token-'));
  const tokenFile = join(secrets, 'token');
  await writeFile(tokenFile, `${options.token}\n`, { mode: 0o600 });
  const [program = process.execPath, ...args] = [
    ...(options.under ?? []),
    process.execPath,
    builtDriver,
    'device',
    'run',
    ...['--url', options.url, '--id', options.id, '--workspace', options.workspace],
    ...['--state-dir', options.stateDir, '--token-file', tokenFile],
    ...(options.args ?? []),
  ];
  const child = spawn(program, args, {
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('exit', () => void rm(secrets, { recursive: true, force: true }));
  return watch(child);
}

function watch(child: ChildProcess): RunningDriver {
  let printed = '';
  const watchers = new Set<() => void>();
  const exited = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      for (const look of watchers) look();
    });
  }
  const waitUntil = (what: string, holds: () => boolean, timeoutMs = WAIT_MS): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        watchers.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`The driver did not print ${what} within ${timeoutMs} ms. It printed:\n${printed}`));
      }, timeoutMs);
      watchers.add(look);
      look();
    });
  return {
    process: child,
    waitConnected: (times = 1) =>
      waitUntil('"Connected to"', () => printed.split('Connected to ').length > times),
    waitFor: (text, timeoutMs) => waitUntil(JSON.stringify(text), () => printed.includes(text), timeoutMs),
    output: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export type CommandResult = { exitCode: number | null; stdout: string; stderr: string };

/** Runs one `gsv` command to its end. `input` is what it reads from standard input. */
export async function runGsv(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  input = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, [builtDriver, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const result: CommandResult = { exitCode: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    result.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    result.stderr += text;
  });
  await once(child, 'close');
  return { ...result, exitCode: child.exitCode };
}
