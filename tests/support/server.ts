import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The room and its supervisor, as they are built before the tests. */
export const builtServer = fileURLToPath(new URL('../../dist/server', import.meta.url));
const START_MS = 30_000;

export type ServerOptions = {
  /** Default: one that is free. */
  port?: number;
  /** Default: a fresh directory, removed by `stop`. */
  dataDir?: string;
  /** Default: the room alone, without page and driver. */
  distDir?: string;
  args?: string[];
};

/** The real server: its supervisor in a process of its own, and workerd below it. */
export type TestServer = {
  /** `http://localhost:PORT`, the origin of the page. */
  url: string;
  port: number;
  /** The socket's address. */
  socketUrl: string;
  /** Null once the server is claimed. */
  claimLink: string | null;
  /** The secret of the claim link; empty once claimed. */
  claimSecret: string;
  dataDir: string;
  /** Everything it has printed. */
  printed(): string;
  pid: number;
  /** The process id of the workerd that was started last. */
  workerdPid(): number;
  /** Ends it as Ctrl-C does, and waits until nothing of it runs. */
  stop(): Promise<void>;
  /** Ends the supervisor with SIGKILL, and waits until workerd is gone too. Data stays. */
  kill(): Promise<void>;
  /** Kills workerd alone with SIGKILL, and waits until the supervisor has brought it back. */
  killWorkerd(): Promise<void>;
};

/** Starts the server and waits until it answers. Rejects with what it printed when it does not. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const distDir = options.distDir ?? withRoomAlone();
  const temporary = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'gsv-data-'));
  const child = spawn(
    process.execPath,
    [
      join(distDir, 'server', 'server.mjs'),
      '--port',
      String(options.port ?? 0),
      '--data',
      dataDir,
      '--dist',
      distDir,
      ...(options.args ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = collect(child);
  const port = await listeningPort(child, output);
  const [, claimSecret = ''] = /#claim=(\S+)/.exec(output.text) ?? [];
  const url = `http://localhost:${port}`;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const gone = exit(child);
    child.kill(signal);
    await gone;
    await waitFor(async () => !(await answers(port)), 'the server to be gone');
  };
  return {
    url,
    port,
    socketUrl: `ws://127.0.0.1:${port}/ws`,
    claimLink: claimSecret ? `${url}/#claim=${claimSecret}` : null,
    claimSecret,
    dataDir,
    printed: () => output.text,
    pid: child.pid ?? 0,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      if (temporary) rmSync(dataDir, { recursive: true, force: true });
    },
    workerdPid: () => workerdPid(dataDir),
    killWorkerd: () => killWorkerd(dataDir, port),
  };
}

/** Waits until `condition` holds; rejects after half a minute, naming what it waited for. */
export async function waitFor(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const until = Date.now() + START_MS;
  while (!(await condition())) {
    if (Date.now() > until) throw new Error(`Waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let roomAlone: string | undefined;

/** The room as it was built before the tests, without page and driver. */
function withRoomAlone(): string {
  if (roomAlone) return roomAlone;
  const dist = mkdtempSync(join(tmpdir(), 'gsv-dist-'));
  symlinkSync(builtServer, join(dist, 'server'));
  process.once('exit', () => rmSync(dist, { recursive: true, force: true }));
  roomAlone = dist;
  return dist;
}

type Output = { text: string };

function collect(child: ChildProcess): Output {
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output.text += chunk;
    });
  }
  return output;
}

function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

async function listeningPort(child: ChildProcess, output: Output): Promise<number> {
  const port = (): string | undefined => /GSV runs at \S+:(\d+)\n/.exec(output.text)?.[1];
  await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`The server ended: ${output.text}`);
    return port() !== undefined;
  }, 'the server to start').catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return Number(port());
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

function workerdPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'run', 'workerd.pid'), 'utf8'));
}

async function killWorkerd(dataDir: string, port: number): Promise<void> {
  const pid = workerdPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await waitFor(async () => workerdPid(dataDir) !== pid && (await answers(port)), 'workerd to be back');
}
