import { constants } from 'node:os';
import type { Clock } from '../../../shared/std/clock.ts';
import { deferred } from '../../../shared/std/deferred.ts';
import { Output, type Taken } from './output.ts';
import { signalTree } from './process-tree.ts';
import type { CommandProcess } from './start-command.ts';

export type Ending =
  | { status: 'completed'; exitCode: number }
  | { status: 'failed'; error: string; exitCode?: number };

/** After a command ended, a pause this long in its output means that the rest of it has arrived. */
const DRAIN_QUIET_MS = 100;
/** Background processes may hold the pipe and go on printing; no longer than this is waited for them. */
const DRAIN_MOST_MS = 1000;
/** Output is shown this often while a caller waits, and no more of it at once; the result has it all. */
const FOLLOW_MS = 100;
const FOLLOW_CHARACTERS = 16_000;
/** Between asking a process tree to end and ending it. */
const KILL_GRACE_MS = 1000;
/** What terminals send for Ctrl-C and Ctrl-D. */
const INTERRUPT = '\x03';
const END_OF_INPUT = '\x04';

/** One command and its process tree, from its start until it has ended and been read. */
export class ShellSession {
  readonly id: string;
  readonly #process: CommandProcess;
  readonly #clock: Clock;
  readonly #output = new Output();
  readonly #ended = deferred<void>();
  #ending: Ending | undefined;
  #stopReason: string | undefined;
  #exited = false;
  #onOutput = (): void => {};
  #follow = (_bytes: Uint8Array): void => {};

  constructor(id: string, child: CommandProcess, clock: Clock) {
    this.id = id;
    this.#process = child;
    this.#clock = clock;
    child.stdout.on('data', (bytes: Uint8Array) => {
      // After the end only the leftovers of the command print; they must not block on a full pipe.
      if (this.#ending) return;
      this.#output.write(bytes);
      this.#follow(bytes);
      this.#onOutput();
    });
    child.once('error', (error) =>
      this.#end({ status: 'failed', error: `The shell did not start: ${error.message}` }),
    );
    child.once('exit', (code, signal) => this.#onExit(exitCodeOf(code, signal)));
  }

  /** The leader of the process group; undefined when nothing was started. */
  get leader(): number | undefined {
    return this.#process.pid;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Resolves when the command has ended and its output is complete. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  take(): Taken {
    return this.#output.take();
  }

  /** Shows output as it comes, some of it at a time, until the returned function is called. */
  follow(show: (text: string) => void): () => void {
    const decoder = new TextDecoder();
    let waiting = '';
    let cancel: (() => void) | null = null;
    const flush = (): void => {
      cancel = null;
      if (waiting !== '') show(waiting);
      waiting = '';
    };
    this.#follow = (bytes) => {
      waiting = (waiting + decoder.decode(bytes, { stream: true })).slice(-FOLLOW_CHARACTERS);
      cancel ??= this.#clock.after(FOLLOW_MS, flush);
    };
    return () => {
      cancel?.();
      this.#follow = () => {};
    };
  }

  /** Writes to standard input. Ctrl-C and Ctrl-D alone do what they do in a terminal. */
  write(input: string): void {
    if (input === INTERRUPT && this.leader !== undefined) signalTree(this.leader, 'SIGINT');
    else if (input === END_OF_INPUT) this.#process.stdin.end();
    else if (this.#process.stdin.writable) this.#process.stdin.write(input);
  }

  /** Waits for the end, at most `ms`; with `quietMs` also for output that has paused that long. */
  async wait(ms: number, quietMs?: number): Promise<void> {
    const over = deferred<void>();
    const cancelWait = this.#clock.after(ms, over.resolve);
    const stopWatching = quietMs === undefined ? () => {} : this.#onQuiet(quietMs, over.resolve);
    await Promise.race([this.#ended.promise, over.promise]);
    stopWatching();
    cancelWait();
  }

  /** Ends the whole process tree; `reason` becomes the error of the result. */
  stop(reason: string): void {
    if (this.#ending || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    const leader = this.leader;
    if (leader === undefined) return;
    const known = signalTree(leader, 'SIGTERM', { mark: this.id });
    this.#clock.after(KILL_GRACE_MS, () => {
      signalTree(leader, 'SIGKILL', { mark: this.id, known });
      // A process stuck in the kernel cannot be waited for.
      this.#clock.after(KILL_GRACE_MS, () => this.#onExit(exitCodeOf(null, 'SIGKILL')));
    });
  }

  #onExit(exitCode: number): void {
    if (this.#exited) return;
    this.#exited = true;
    const reason = this.#stopReason;
    const finish = (): void =>
      this.#end(
        reason === undefined
          ? { status: 'completed', exitCode }
          : { status: 'failed', error: reason, exitCode },
      );
    this.#process.once('close', finish);
    this.#clock.after(DRAIN_MOST_MS, finish);
    this.#onQuiet(DRAIN_QUIET_MS, finish, true);
  }

  /** Runs `run` once output has paused for `ms`; counts from now on only if `fromNow` or some is unread. */
  #onQuiet(ms: number, run: () => void, fromNow = false): () => void {
    let cancel = (): void => {};
    const restart = (): void => {
      cancel();
      cancel = this.#clock.after(ms, run);
    };
    this.#onOutput = restart;
    if (fromNow || !this.#output.empty) restart();
    return () => {
      cancel();
      if (this.#onOutput === restart) this.#onOutput = () => {};
    };
  }

  #end(ending: Ending): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#output.end();
    this.#onOutput = () => {};
    this.#ended.resolve();
  }
}

/** As shells tell it: 128 and the number of the signal that ended the process. */
function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}
