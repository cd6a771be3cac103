import { expect } from 'vitest';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import { deferred } from '../../shared/std/deferred.ts';
import type { InputMode } from '../../shared/syscalls/proc.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { FakeRoom } from './fake-room.ts';
import { lines, problems } from './history.ts';
import { TestKernel, type TestPage, type TestWorld } from './kernel.ts';
import { ManualClock } from './manual-clock.ts';
import { Life } from './mortal.ts';
import { settle } from './passing.ts';
import { calls, fails, type Script, says } from './scripted-models.ts';

/** What the agent does in one turn. */
export type Move = Script;

/** One tool call, as a model makes it. */
export type Made = { name: string; args: Record<string, unknown> };

export const shell = (input: string, target = 'gsv'): Made => ({ name: 'Shell', args: { target, input } });
export const read = (path: string, target = 'gsv'): Made => ({ name: 'Read', args: { target, path } });
export const write = (path: string, content: string, target = 'gsv'): Made => ({
  name: 'Write',
  args: { target, path, content },
});
export const edit = (path: string, oldString: string, newString: string): Made => ({
  name: 'Edit',
  args: { target: 'gsv', path, oldString, newString },
});
export const erase = (path: string): Made => ({ name: 'Delete', args: { target: 'gsv', path } });
export const search = (query: string, path = '~'): Made => ({
  name: 'Search',
  args: { target: 'gsv', query, path },
});

/** The agent makes these calls, in one message. */
export const does =
  (...made: Made[]): Move =>
  () =>
    calls(...made.map((call, at) => ({ ...call, id: `${call.name}-${at}` })));
/** The agent answers. */
export const answers =
  (text: string): Move =>
  () =>
    says(text);

/** The model fails, for good unless `mayPass`. */
export const breaks =
  (error: string, mayPass = false): Move =>
  () =>
    fails(error, mayPass);

/** A step of a story that begins, and goes on only when the story says so. */
export type Held<T> = { step: T; begun: Promise<void>; goOn(): void };

function held<T>(step: (begin: () => void, goOn: Promise<void>) => T): Held<T> {
  const begun = deferred<void>();
  const going = deferred<void>();
  const begin = (): void => begun.resolve(undefined);
  return { step: step(begin, going.promise), begun: begun.promise, goOn: () => going.resolve(undefined) };
}

/** A move that the agent begins, saying `meanwhile`, and makes later. */
export const thinks = (then: Move = answers('never said'), meanwhile = ''): Held<Move> =>
  held((begin, goOn) => async (request, turn, onDelta) => {
    if (meanwhile !== '') onDelta?.({ type: 'text_delta', contentIndex: 0, delta: meanwhile });
    begin();
    await goOn;
    return then(request, turn, onDelta);
  });

/** A device that answers later. */
export const answersLater = (then: Device): Held<Device> =>
  held((begin, goOn) => async (call) => {
    begin();
    await goOn;
    return then(call);
  });

/** What a device in a story answers a command with. */
export type Device = (call: IncomingCall) => Reply | Promise<Reply>;
export const prints = (output: string, exitCode = 0): Reply => ({
  data: { status: 'completed', output, exitCode },
});

/**
 * A person and their agent over the real kernel, told step by step. The agent's turns are scripted, in order; when none
 * is left it says `done`. A kill and a restart may stand between any two steps.
 */
export class Story {
  readonly kernel: TestKernel;
  readonly room: FakeRoom;
  page!: TestPage;
  readonly #clock: ManualClock | null;
  readonly #moves: Move[] = [];
  readonly #movesOf = new Map<string, Move[]>();

  private constructor(device: Device, world: TestWorld) {
    this.room = new FakeRoom(device);
    this.#clock = world.clock instanceof ManualClock ? world.clock : null;
    const script: Script = (request, turn, onDelta) => {
      const own = this.#movesOf.get(request.affinity ?? '') ?? this.#moves;
      return own.shift()?.(request, turn, onDelta) ?? says('done');
    };
    this.kernel = new TestKernel(script, { dialer: this.room, ...world });
  }

  /** Begins at a moment of its own, from which time passes only as the story says. */
  static beginAt(moment: string, world: TestWorld & { device?: Device } = {}): Promise<Story> {
    const clock = new ManualClock();
    clock.jump(Date.parse(moment));
    return Story.begin({ ...world, clock });
  }

  /** Begins with the account `ada`, signed in; a device `laptop` is connected when `device` is given. */
  static async begin({ device, ...world }: TestWorld & { device?: Device } = {}): Promise<Story> {
    const story = new Story(device ?? (() => prints('')), world);
    if (device) story.room.join(story.kernel.disk);
    story.page = await story.kernel.ready();
    if (device) await story.until(async () => (await story.ask('sys.device.list', {})).devices.length > 0);
    return story;
  }

  /** Another telling, on a copy of the same disk. Its kernel is not booted. */
  static on({ kernel }: Story): Story {
    const story = new Story(() => prints(''), {});
    story.kernel.disk.copyFrom(kernel.disk);
    return story;
  }

  /** Starts from disk, for as long as `life`. */
  async boots(life = new Life()): Promise<void> {
    await this.kernel.boot(life);
    this.page = await this.kernel.signedIn();
  }

  /** What the agent will do next, turn by turn. */
  agent(...moves: Move[]): this {
    this.#moves.push(...moves);
    return this;
  }

  /** What the agent of one process will do next, whatever others do. */
  agentOf(pid: string, ...moves: Move[]): this {
    this.#movesOf.set(pid, [...(this.#movesOf.get(pid) ?? []), ...moves]);
    return this;
  }

  /** A process beside the person's own. */
  async spawns(label: string, ...moves: Move[]): Promise<string> {
    const made = await this.ask('proc.spawn', { profile: 'task', label });
    if (!made.ok) throw new Error(made.error);
    this.agentOf(made.pid, ...moves);
    return made.pid;
  }

  ask<Name extends SyscallName>(name: Name, args: Args<Name>): Promise<Result<Name>> {
    return this.page.call(name, args);
  }

  /** The person sends a message; resolves when its run is over. */
  async says(text: string): Promise<void> {
    await this.page.run(text);
  }

  /** The person sends a message, to be read as `mode` says; resolves with its run when it is stored. */
  async adds(message: string, mode: InputMode): Promise<string> {
    const sent = await this.ask('proc.send', { message, mode });
    if (!sent.ok) throw new Error(sent.error);
    return sent.runId;
  }

  /** The person sends a message; resolves with its run when the agent asks for an approval. */
  async saysAndIsAsked(text: string): Promise<{ runId: string }> {
    const { runId } = await this.page.send(text);
    await this.isAsked();
    return { runId };
  }

  /** Resolves with what is asked now. */
  async isAsked(): Promise<string> {
    const { pendingHil } = await this.until(async () => {
      const history = await this.page.history();
      return history.pendingHil ? history : undefined;
    });
    return String(pendingHil?.requestId);
  }

  /** Time passes, in a story that began at a moment of its own. */
  async passes(ms: number): Promise<void> {
    await this.#clock?.advance(ms);
  }

  /** From now on the agent is asked for nothing. */
  async trusts(): Promise<void> {
    const policy = { key: 'users/1000/ai/tools/approval', value: '{"default":"auto","rules":[]}' };
    await this.ask('sys.config.set', policy);
  }

  /** Answers what is asked now. */
  async decides(decision: 'approve' | 'deny', remember = false): Promise<void> {
    const requestId = await this.isAsked();
    const answered = await this.ask('proc.hil', { requestId, decision, ...(remember ? { remember } : {}) });
    if (!answered.ok) throw new Error(answered.error);
  }

  /** Resolves when nothing runs any more. */
  async rests(): Promise<void> {
    await this.until(async () => {
      const { processes } = await this.ask('proc.list', {});
      return processes.every(({ state }) => state !== 'running' && state !== 'waiting');
    });
  }

  /** Killed as by the system, and started from disk. */
  async restarts(): Promise<void> {
    this.page = await this.kernel.restart();
  }

  kill(): void {
    this.kernel.kill();
  }

  /** The words of the history, oldest first: `user: hi`. It is checked to be one that a provider takes. */
  async told(pid?: string): Promise<string[]> {
    const { messages } = await this.page.history(pid);
    expect(problems(messages)).toEqual([]);
    return lines(messages);
  }

  /** The text of a file, without line numbers; undefined when there is none. The path is one plain word. */
  async file(path: string): Promise<string | undefined> {
    const found = await this.ask('shell.exec', { input: `cat ${path}` });
    return 'exitCode' in found && found.exitCode === 0 ? found.output : undefined;
  }

  /** The person writes a file. */
  async has(path: string, content: string): Promise<void> {
    const written = await this.ask('fs.write', { path, content });
    if (!written.ok) throw new Error(written.error);
  }

  /** What the model was told of its last calls, newest last. */
  results(): { text: string; isError: boolean }[] {
    const { messages } = this.kernel.models.requests.at(-1) ?? { messages: [] };
    return messages.flatMap((message) => {
      if (message.role !== 'toolResult') return [];
      const text = message.content.map((block) => ('text' in block ? block.text : '')).join('');
      return [{ text, isError: message.isError }];
    });
  }

  /** Everything that the model has been sent, as one text. */
  sent(): string {
    return JSON.stringify(this.kernel.models.requests.map(({ system, messages }) => ({ system, messages })));
  }

  /** Asks again until there is an answer. */
  async until<T>(look: () => Promise<T | undefined>): Promise<NonNullable<T>> {
    let found: T | undefined;
    const seen = async (): Promise<boolean> => {
      found = await look();
      return Boolean(found);
    };
    if (this.#clock) await settle(this.#clock, seen);
    else await expect.poll(seen, { interval: 5 }).toBe(true);
    return found as NonNullable<T>;
  }
}
