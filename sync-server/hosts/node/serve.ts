import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { configText } from './config.ts';
import { type DataDir, openDataDir } from './data-dir.ts';
import { startWorkerd, type Workerd } from './workerd.ts';

/** Waits between restarts of a workerd that keeps dying, in milliseconds. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/** A workerd that lived this long died of something new. */
const HEALTHY_MS = 30_000;
const READY_MS = 15_000;

export type ServeOptions = {
  /** 0 for any free one. */
  port: number;
  host: string;
  dataDir: string;
  /** Holds `server/room.mjs`, `page/` and `gsv.mjs`. */
  distDir: string;
  /** Host names beside localhost under which the server may be asked. */
  allowedHosts: readonly string[];
  log(line: string): void;
};

export type Served = {
  port: number;
  claimSecret: string;
  claimed: boolean;
  /** Ends workerd and waits until it is gone. */
  stop(): Promise<void>;
};

/** Starts the room and keeps it running until it is stopped. Rejects with a sentence for a person. */
export async function serve(options: ServeOptions): Promise<Served> {
  const data = openDataDir(resolve(options.dataDir));
  const configFile = writeConfig(options, data);
  const start = async (port: number): Promise<Workerd> => {
    const onLine = (line: string): void => options.log(`workerd: ${line}`);
    const workerd = await startWorkerd({ configFile, host: options.host, port, onLine });
    writeFileSync(data.pidFile, `${workerd.pid}\n`);
    return workerd;
  };
  const first = await start(options.port);
  const keeper = new Keeper(first, () => start(first.port), options.log);
  try {
    const { claimed } = await waitUntilHealthy(first.port, options.host);
    return { port: first.port, claimSecret: data.claimSecret, claimed, stop: () => keeper.stop() };
  } catch (thrown) {
    await keeper.stop();
    throw thrown;
  }
}

/** workerd embeds the worker from beside its configuration. */
function writeConfig({ distDir, allowedHosts, host }: ServeOptions, data: DataDir): string {
  const worker = join(resolve(distDir), 'server', 'room.mjs');
  if (!existsSync(worker)) throw new Error(`The server has not been built: ${worker} is missing`);
  copyFileSync(worker, join(data.runDir, 'room.mjs'));
  const file = join(data.runDir, 'config.capnp');
  const text = configText({
    claimSecret: data.claimSecret,
    allowedHosts: [...allowedHosts, ...ownNames(host)],
    distDir: resolve(distDir),
    storageDir: data.storageDir,
  });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** The names under which others reach a server that listens beyond this machine. */
function ownNames(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::')
    return [host.includes(':') ? new URL(`http://[${host}]`).host : host];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const literals = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  return [...literals, hostname(), `${hostname()}.local`];
}

async function waitUntilHealthy(port: number, host: string): Promise<{ claimed: boolean }> {
  const until = Date.now() + READY_MS;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/health`;
  for (;;) {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(READY_MS) });
      if (response.ok) return (await response.json()) as { claimed: boolean };
      throw new Error(`it answers ${response.status}: ${(await response.text()).slice(0, 500)}`);
    } catch (thrown) {
      if (Date.now() > until) throw new Error(`The server started but does not answer: ${String(thrown)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Holds the one workerd of a server and starts it again when it dies. */
class Keeper {
  readonly #start: () => Promise<Workerd>;
  readonly #log: (line: string) => void;
  #workerd: Workerd;
  #stopped = false;
  #wake: () => void = () => {};

  constructor(first: Workerd, start: () => Promise<Workerd>, log: (line: string) => void) {
    this.#workerd = first;
    this.#start = start;
    this.#log = log;
    void this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    this.#workerd.kill();
    await this.#workerd.exited;
  }

  async #watch(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    for (;;) {
      const started = Date.now();
      await this.#workerd.exited;
      // What ran well for long and dies is a kill, not a fault that comes back: nobody need wait for it.
      if (Date.now() - started > HEALTHY_MS) wait = 0;
      for (let up = false; !up; wait = Math.min(Math.max(wait * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS)) {
        if (this.#stopped) return;
        this.#log(`workerd ended; starting it again in ${wait} ms`);
        await this.#pause(wait);
        up = await this.#restart();
      }
    }
  }

  async #restart(): Promise<boolean> {
    if (this.#stopped) return false;
    try {
      this.#workerd = await this.#start();
    } catch (thrown) {
      this.#log(String(thrown instanceof Error ? thrown.message : thrown));
      return false;
    }
    if (this.#stopped) this.#workerd.kill();
    else this.#log('workerd runs again');
    return true;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
