/// <reference path="../../../web/modules.d.ts" />
import { type Remote, wrap } from 'comlink';
import { connectGsv } from '../../../web/client/connect.ts';
import type { Gsv } from '../../../web/client/gsv.ts';
import { KERNEL_LOCK } from '../../../web/kernel-host/door.ts';
import type { Account, BenchPage, ModelSettings, PiOpening } from './api.ts';
import { generateBare, openBareWllama } from './bare-wllama.ts';
import { seedMessages, seedProcesses, seedSchedules } from './seed.ts';
import { Texts } from './texts.ts';

type Echo = { echo(value: unknown): Promise<unknown> };
type Pi = { open(opening: PiOpening): Promise<void>; turn(text: string): Promise<void> };

const KEY = 'config/server/name';
const FIRST_UID = 1000;
/** As many as the chat asks for. */
const TAIL = 200;
const POLL_MS = 100;
/** What is counted in whole milliseconds is measured as the mean of so many. */
const FIRES = 3;

let gsv: Gsv | null = null;
const echo = worker<Echo>('echo-worker.js');
const pi = worker<Pi>('pi-worker.js');

const page: BenchPage = {
  async setUp({ username, password }: Account, model: ModelSettings | null) {
    gsv = connectGsv();
    await gsv.setup({ username, password, ...(model ? { ai: model } : {}) });
  },

  async boot() {
    // Held for a moment: the kernel before is gone for certain.
    await navigator.locks.request(KERNEL_LOCK, async () => {});
    return timed(async () => {
      gsv = connectGsv();
      const session = await gsv.session();
      if (session === 'signed-out') throw new Error('Not signed in');
    });
  },

  syscalls: (times) => middleOf(times, () => client().call('sys.config.get', { key: KEY })),

  echoes(times) {
    const answer = { entries: [{ key: KEY, value: 'gsv' }] };
    return middleOf(times, () => echo.echo(answer));
  },

  async spawn() {
    const spawned = await client().call('proc.spawn', { profile: 'task' });
    if (!spawned.ok) throw new Error(spawned.error);
    return spawned.pid;
  },

  async writeFile(path, content) {
    const written = await client().call('fs.write', { path, content });
    if (!written.ok) throw new Error(written.error);
  },

  async setConfig(key, value) {
    await client().call('sys.config.set', { key, value });
  },

  turn: (pid, text) =>
    timed(async () => {
      const over = runFinished(pid);
      const sent = await client().call('proc.send', { pid, message: text });
      if (!sent.ok) throw new Error(sent.error);
      const { status, error } = await over;
      if (status !== 'ok') throw new Error(`The run ended as ${status}: ${error}`);
    }),

  openPi: (opening) => pi.open(opening),
  piTurn: (text) => timed(() => pi.turn(text)),

  async useLocalModel(address, id) {
    await client().call('ai.local.add', { address, callsTools: false });
    for (;;) {
      const { models } = await client().call('ai.local.list', {});
      const { state, problem } = models.find((model) => model.id === id) ?? {};
      if (state === 'ready') break;
      if (state === 'failed') throw new Error(problem);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    for (const [name, value] of [
      ['provider', 'wllama'],
      ['model', id],
      // What it says has no end; it is not asked to go on.
      ['max_turns', '1'],
    ] as const)
      await client().call('sys.config.set', { key: `users/${FIRST_UID}/ai/${name}`, value });
  },

  async generateHere() {
    const pid = await page.spawn();
    const texts = new Texts();
    const stop = client().onSignal((signal, payload) => {
      const { event } = payload as { event?: { type?: string; delta?: string } };
      if (signal === 'proc.run.stream' && payload.pid === pid && event?.type === 'text_delta')
        texts.heard(event.delta ?? '');
    });
    const over = runFinished(pid);
    await client().call('proc.send', { pid, message: 'go on' });
    const { usage, status, error } = await over;
    stop();
    if (texts.characters === 0) throw new Error(`The run ended as ${status}: ${error}`);
    const { input, output, cacheRead } = usage as { input: number; output: number; cacheRead: number };
    return { ms: texts.ms, characters: texts.characters, tokens: output, prompt: input + cacheRead };
  },

  openBareWllama,
  generateBare,

  openConversation: (pid) =>
    timed(async () => {
      const { rows } = await client().call('view.open', { view: 'conversation', pid, tail: TAIL });
      if (rows.length === 0) throw new Error('The conversation is empty');
    }),

  search: (pid, query) =>
    timed(async () => {
      const found = await client().call('proc.search', { pid, query });
      if (!found.ok || found.matches.length === 0) throw new Error(`${query} was not found`);
    }),

  readMessage: (pid, offset) =>
    timed(async () => {
      const read = await client().call('proc.history', { pid, offset, limit: 1 });
      if (!read.ok || read.messages.length !== 1) throw new Error(`There is no message ${offset}`);
    }),

  async tick() {
    let total = 0;
    for (let fires = 0; fires < FIRES; fires += 1) total += await fired();
    return total / FIRES;
  },

  seedMessages,
  seedProcesses,
  seedSchedules,
};

Object.assign(globalThis, { bench: page });

/** How long after it was due a schedule has been done, in whole milliseconds. */
async function fired(): Promise<number> {
  const { schedule } = await client().call('sched.add', {
    name: 'tick',
    expression: { kind: 'after', afterMs: 1000 },
    target: { kind: 'shell.exec', input: 'true' },
  });
  for (;;) {
    const { runs } = await client().call('sched.history', { id: schedule.id });
    const [run] = runs;
    if (run) {
      await client().call('sched.remove', { id: schedule.id });
      return run.startedAtMs + run.durationMs - run.dueMs;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function client(): Gsv {
  if (!gsv) throw new Error('Not attached');
  return gsv;
}

/** A SharedWorker of the bench, attached through Comlink. */
function worker<Exposed>(file: string): Remote<Exposed> {
  return wrap<Exposed>(new SharedWorker(file, { type: 'module' }).port);
}

function runFinished(pid: string): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const stop = client().onSignal((signal, payload) => {
      if (signal !== 'proc.run.finished' || payload.pid !== pid) return;
      stop();
      resolve(payload);
    });
  });
}

async function timed(step: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await step();
  return performance.now() - started;
}

/** The median time of one step among `times`, made one after the other. */
async function middleOf(times: number, step: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) taken.push(await timed(step));
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}
