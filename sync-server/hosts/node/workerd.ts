import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';

/**
 * Runs a command and ends it when this shell's stdin ends: the pipe closes with the supervisor however it dies,
 * so workerd is never orphaned. Prints the command's process id first.
 */
const LEASH = `
exec 4<&0
"$@" 4<&- </dev/null & child=$!
echo "pid $child"
{ cat <&4 >/dev/null; kill -9 "$child" 2>/dev/null; } >/dev/null 2>&1 3>&- &
exec 4<&-
wait "$child"
`;

export type WorkerdOptions = {
  configFile: string;
  host: string;
  /** 0 for any free one. */
  port: number;
  /** A line that workerd printed. */
  onLine(line: string): void;
};

/** One running workerd. */
export type Workerd = {
  pid: number;
  port: number;
  /** Resolves when the process is gone. */
  exited: Promise<void>;
  /** Ends it at once; storage survives that at any instant. */
  kill(): void;
};

/** Starts workerd and waits until it listens. Rejects with what it printed when it does not. */
export async function startWorkerd({ configFile, host, port, onLine }: WorkerdOptions): Promise<Workerd> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const args = [binary(), 'serve', configFile, '--socket-addr', `http=${address}`, '--control-fd=3'];
  const child = spawn('/bin/sh', ['-c', LEASH, 'workerd', ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches the supervisor alone, which ends workerd when it is ready to.
    detached: true,
  });
  const printed: string[] = [];
  const kill = (): void => void child.stdin?.destroy();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(kill);
  child.stdin?.on('error', () => {});
  // What a failed start prints goes into its error.
  let report = (line: string): void => void printed.push(line);
  const pid = pidOf(child, (line) => report(line));
  const listening = listeningPort(child.stdio[3] as Readable);
  const failed = exited.then(() => {
    throw new Error(startFailure(printed, address));
  });
  failed.catch(() => {});
  const started = { pid: await Promise.race([pid, failed]), port: await Promise.race([listening, failed]) };
  for (const line of printed) onLine(line);
  report = onLine;
  const end = (): void => {
    // How the shell puts it that its child was killed is news to nobody.
    report = () => {};
    kill();
  };
  return { ...started, exited, kill: end };
}

function binary(): string {
  const workerd: { default: string } = createRequire(import.meta.url)('workerd');
  return workerd.default;
}

function pidOf(child: ChildProcess, onLine: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    lines(child.stdout, (line) => {
      const [, pid] = /^pid (\d+)$/.exec(line) ?? [];
      if (pid === undefined) onLine(line);
      else resolve(Number(pid));
    });
    lines(child.stderr, onLine);
  });
}

function listeningPort(control: Readable): Promise<number> {
  return new Promise((resolve) => {
    lines(control, (line) => {
      const message = JSON.parse(line) as { event?: string; port?: number };
      if (message.event === 'listen' && message.port !== undefined) resolve(message.port);
    });
  });
}

function lines(stream: Readable | null, onLine: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.trim() !== '') onLine(part);
  });
}

function startFailure(printed: readonly string[], address: string): string {
  const text = printed.join('\n');
  if (/address already in use/i.test(text))
    return `${address} is taken by another program; choose another port with --port`;
  return `workerd did not start: ${text.slice(-2000) || 'it printed nothing'}`;
}
