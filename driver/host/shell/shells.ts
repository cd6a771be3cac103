import { stat } from 'node:fs/promises';
import { SyscallError } from '../../../shared/protocol/errors.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import type { Random } from '../../../shared/std/random.ts';
import type { Args, Result } from '../../../shared/syscalls/table.ts';
import { OperationFailure } from '../operation.ts';
import { COMMAND_MARK, groupAlive, signalTree } from './process-tree.ts';
import { ShellSession } from './session.ts';
import { type ShellSettings, startCommand } from './start-command.ts';

export type ShellTimes = {
  /** A call answers within this long, whatever the command does. */
  waitMs: number;
  /** A command is ended after this long. */
  lifetimeMs: number;
};

/** FACTS, Numbers: device shell. */
export const shellTimes: ShellTimes = { waitMs: 5_000, lifetimeMs: 5 * 60_000 };

/** How long the output of an ended session can still be asked for (FACTS, Numbers). */
const KEPT_MS = 10 * 60_000;
/** A poll answers early once new output has paused this long. */
const QUIET_MS = 500;
/** Part of a call's remaining time that is left for the way back. */
const TTL_SLACK_MS = 1000;
/** More commands at once than this are refused. */
const MOST_RUNNING = 64;
/** Between asking everything to end and ending it, when the driver stops. */
const SHUTDOWN_GRACE_MS = 1000;

type ShellResult = Result<'shell.exec'>;
/** What of a call the shell needs: `ttl` is its time left in milliseconds. */
export type ShellCall = { signal: AbortSignal; ttl: number; progress(text: string): void };

/** The commands running on this machine. */
export class Shells {
  readonly #settings: ShellSettings;
  readonly #times: ShellTimes;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #sessions = new Map<string, ShellSession>();
  /** Leaders of process groups of which something may still run, also after their command ended, and its mark. */
  readonly #leaders = new Map<number, { mark: string }>();

  constructor(settings: ShellSettings, times: ShellTimes, clock: Clock, random: Random) {
    this.#settings = settings;
    this.#times = times;
    this.#clock = clock;
    this.#random = random;
  }

  /** Answers `shell.exec` that starts a command in `cwd`, an absolute path. */
  async start(command: string, cwd: string, call: ShellCall): Promise<ShellResult> {
    if (!(await isDirectory(cwd)))
      return { status: 'failed', output: '', error: `No such directory: ${cwd}` };
    if (command.includes('\0'))
      return { status: 'failed', output: '', error: 'The command holds a NUL character' };
    if (this.#sessions.size - this.#countEnded() >= MOST_RUNNING) {
      throw new OperationFailure(`${MOST_RUNNING} commands are running already: wait for one to end`);
    }
    const session = this.#launch(command, cwd);
    const stopListening = onGivenUp(call.signal, () =>
      session.stop('The command was stopped: its caller gave up'),
    );
    const stopFollowing = session.follow(call.progress);
    await session.wait(this.#budget(call.ttl));
    stopFollowing();
    stopListening();
    if (session.ending) this.#sessions.delete(session.id);
    return this.#result(session);
  }

  /** Answers `shell.exec` that polls a session, or writes to it when `input` is not empty. */
  async resume(
    { sessionId, input }: Pick<Args<'shell.exec'>, 'input'> & { sessionId: string },
    call: ShellCall,
  ): Promise<ShellResult> {
    const session = this.#sessions.get(sessionId);
    if (!session) {
      throw new OperationFailure(
        `No shell session ${sessionId} on this machine: it ended more than 10 minutes ago, or the driver was restarted`,
      );
    }
    if (input !== '' && !session.ending) session.write(input);
    const stopFollowing = session.follow(call.progress);
    await session.wait(this.#budget(call.ttl), QUIET_MS);
    stopFollowing();
    return this.#result(session);
  }

  /** Ends every command and what it left in the background. */
  async close(): Promise<void> {
    const alive = [...this.#leaders.keys()].filter(groupAlive);
    const members = alive.map((leader) => ({
      leader,
      known: signalTree(leader, 'SIGTERM', this.#leaders.get(leader)),
    }));
    const deadline = this.#clock.now() + SHUTDOWN_GRACE_MS;
    while (alive.some(groupAlive) && this.#clock.now() < deadline) {
      await new Promise<void>((resolve) => this.#clock.after(20, resolve));
    }
    for (const { leader, known } of members)
      signalTree(leader, 'SIGKILL', { ...this.#leaders.get(leader), known });
  }

  #launch(command: string, cwd: string): ShellSession {
    const id = `sh_${this.#random.uuid()}`;
    const child = startCommand(command, cwd, marked(this.#settings, id));
    const session = new ShellSession(id, child, this.#clock);
    this.#sessions.set(session.id, session);
    const { leader } = session;
    if (leader !== undefined) {
      this.#leaders.set(leader, { mark: id });
      child.once('close', () => this.#leaders.delete(leader));
    }
    const lifetime = describeDuration(this.#times.lifetimeMs);
    const cancelLifetime = this.#clock.after(this.#times.lifetimeMs, () =>
      session.stop(`The command was stopped: it ran longer than ${lifetime}`),
    );
    void session.ended.then(() => {
      cancelLifetime();
      this.#clock.after(KEPT_MS, () => this.#sessions.delete(session.id));
    });
    return session;
  }

  #result(session: ShellSession): ShellResult {
    const { ending } = session;
    const taken = session.take();
    const known = this.#sessions.has(session.id) ? { sessionId: session.id } : {};
    return ending
      ? { ...ending, ...taken, ...known }
      : { status: 'running', ...taken, sessionId: session.id };
  }

  #budget(ttl: number): number {
    return Math.min(this.#times.waitMs, Math.max(ttl - TTL_SLACK_MS, ttl / 2));
  }

  #countEnded(): number {
    return [...this.#sessions.values()].filter((session) => session.ending).length;
  }
}

/**
 * Runs `stop` when the caller gives the call up. A lost connection is no such thing: the command goes on, and its
 * caller asks for it again by its key.
 */
function onGivenUp(signal: AbortSignal, stop: () => void): () => void {
  const onAbort = (): void => {
    const lost = signal.reason instanceof SyscallError && signal.reason.code === 503;
    if (!lost) stop();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

function marked({ shell, environment }: ShellSettings, id: string): ShellSettings {
  return { shell, environment: { ...environment, [COMMAND_MARK]: id } };
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function describeDuration(ms: number): string {
  const minutes = ms / 60_000;
  return Number.isInteger(minutes) && minutes > 0 ? `${minutes} minutes` : `${ms / 1000} seconds`;
}
