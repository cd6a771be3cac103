import { expect, test } from 'vitest';
import { SyscallError } from '../../protocol/errors.ts';
import { deferred } from '../../std/deferred.ts';
import type { ModelDelta, ModelRequest } from '../ports/models.ts';
import type { Engine, GenerateArgs, Generated } from './engine.ts';
import {
  DEVICE_LOST,
  EngineLost,
  type Engines,
  GARBLED,
  LocalModels,
  type Shelf,
  TOO_LONG,
  withoutOldest,
} from './local-models.ts';

type Script = (args: GenerateArgs, onText: (text: string) => void, signal: AbortSignal) => Promise<Generated>;

const done: Generated = { stop: 'stop', usage: { input: 30, output: 20, cached: 10 }, generatingMs: 1_000 };
const says =
  (text: string): Script =>
  async (_args, onText) => {
    onText(JSON.stringify({ say: text }));
    return done;
  };

/** Engines that do what the test says, one after another. */
class ScriptedEngines implements Engines {
  readonly loads: string[] = [];
  readonly asked: GenerateArgs[] = [];
  dropped = 0;
  waits = false;
  /** Called with the signal of each loading. */
  loading: (signal: AbortSignal) => Promise<void> = async () => {};
  readonly #scripts: Script[];
  #engine: Engine | null = null;

  constructor(...scripts: Script[]) {
    this.#scripts = scripts;
  }

  async engine(_name: unknown, onWaiting: () => void): Promise<Engine> {
    if (this.waits) onWaiting();
    this.#engine ??= {
      load: async ({ model }, onProgress, signal) => {
        this.loads.push(model);
        onProgress('half');
        await this.loading(signal);
        return { contextWindow: 4_096, constrains: true };
      },
      generate: (args, onText, signal) => {
        this.asked.push(args);
        const script = this.#scripts.shift() ?? says('out of script');
        return script(args, onText, signal);
      },
      unload: async () => {},
    };
    return this.#engine;
  }

  drop(): void {
    this.dropped += 1;
    this.#engine = null;
  }
}

const speeds: number[] = [];
const shelf: Shelf = {
  find: async (_engine, model) =>
    model === 'gone'
      ? undefined
      : { name: 'Small', files: ['a'], contextWindow: 4_096, callsTools: model !== 'talker' },
  list: async () => [{ id: 'small', name: 'Small' }],
  measured: (_engine, _model, speed) => void speeds.push(speed),
};

const tool = {
  name: 'Read',
  description: 'Reads.',
  parameters: { type: 'object', properties: {}, required: [] },
};
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  choice: { provider: 'wllama', model: 'small', apiKey: '' },
  system: 's',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 0 }],
  tools: [tool],
  maxTokens: 100,
  affinity: 'p',
  signal: new AbortController().signal,
  ...more,
});

test('[A159] an answer at whose middle the window is full is kept as far as it came, and said to be cut', async () => {
  const engines = new ScriptedEngines(async (_args, onText) => {
    onText('{"say":"half of ');
    throw new SyscallError(TOO_LONG, 'full');
  });
  const heard: ModelDelta[] = [];
  const outcome = await new LocalModels(engines, shelf).generate(request(), (delta) => heard.push(delta));
  expect(outcome).toMatchObject({
    kind: 'message',
    stop: 'length',
    content: [{ type: 'text', text: 'half of ' }],
  });
  expect(engines.asked).toHaveLength(1);
});

test('[A160] a model that was stopped while it was loaded leaves its engine, and the next answers from a fresh one', async () => {
  const engines = new ScriptedEngines(says('Here.'));
  const stop = new AbortController();
  engines.loading = async (signal) => {
    stop.abort();
    signal.throwIfAborted();
  };
  const models = new LocalModels(engines, shelf);
  const stopped = await models.generate(request({ signal: stop.signal }), () => {});
  expect(stopped).toEqual({ kind: 'aborted', partial: [], usage: null });
  expect(engines.dropped).toBe(1);
  engines.loading = async () => {};
  expect(await models.generate(request(), () => {})).toMatchObject({ kind: 'message' });
  expect(engines.loads).toEqual(['small', 'small']);
});

test('[A105] a model of this device answers like every other: deltas, content, usage, stop', async () => {
  const engines = new ScriptedEngines(says('Hello.'));
  const models = new LocalModels(engines, shelf);
  const deltas: ModelDelta[] = [];
  const status: string[] = [];
  const outcome = await models.generate(
    request(),
    (delta) => deltas.push(delta),
    (text) => status.push(text),
  );
  expect(outcome).toEqual({
    kind: 'message',
    content: [{ type: 'text', text: 'Hello.' }],
    usage: { input: 20, output: 20, cacheRead: 10, cacheWrite: 0, cost: 0 },
    stop: 'stop',
  });
  expect(deltas.map(({ type }) => type)).toEqual(['text_start', 'text_delta', 'text_end']);
  expect(status).toEqual(['Loading Small', 'Loading Small: half', 'thinking']);
  expect(speeds.at(-1)).toBe(20);
  await models.generate(request(), () => {});
  expect(engines.loads).toEqual(['small']);
});

test('[A106] the lending tab closes in the middle of a sentence: another one says it anew, from its beginning', async () => {
  const engines = new ScriptedEngines(async (_args, onText) => {
    onText('{"say":"Half a sent');
    throw new EngineLost('gone');
  }, says('A whole sentence.'));
  const deltas: ModelDelta[] = [];
  const status: string[] = [];
  const models = new LocalModels(engines, shelf);
  const outcome = await models.generate(
    request(),
    (delta) => deltas.push(delta),
    (text) => status.push(text),
  );
  expect(outcome).toMatchObject({ kind: 'message', content: [{ text: 'A whole sentence.' }] });
  const from = deltas.findIndex(({ type }) => type === 'start');
  expect(deltas.slice(from).map((delta) => ('delta' in delta ? delta.delta : ''))).toContain(
    'A whole sentence.',
  );
  expect(status).toContain('The tab that ran the model is gone; going on in another');
  expect(engines.loads).toEqual(['small', 'small']);
});

test('[A106] with no open tab it waits and says so, and can be stopped', async () => {
  const engines = new ScriptedEngines();
  engines.waits = true;
  engines.engine = (_name, onWaiting, signal = new AbortController().signal) => {
    onWaiting();
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new EngineLost('Stopped')), { once: true }),
    );
  };
  const abort = new AbortController();
  const status: string[] = [];
  const outcome = new LocalModels(engines, shelf).generate(
    request({ signal: abort.signal }),
    () => {},
    (text) => status.push(text),
  );
  await Promise.resolve();
  await expect.poll(() => status).toEqual(['Waiting for an open tab of GSV to run the model']);
  abort.abort();
  expect(await outcome).toEqual({ kind: 'aborted', partial: [], usage: null });
});

test('[A105] one that is stopped keeps what it has said', async () => {
  const begun = deferred<void>();
  const abort = new AbortController();
  const engines = new ScriptedEngines(async (_args, onText, signal) => {
    onText('{"say":"I was');
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new Error('Stopped');
  });
  const outcome = new LocalModels(engines, shelf).generate(request({ signal: abort.signal }), () => {});
  await begun.promise;
  abort.abort();
  expect(await outcome).toMatchObject({ kind: 'aborted', partial: [{ type: 'text', text: 'I was' }] });
});

test('[A105] an engine that fails is not used again, and its words reach the person', async () => {
  const engines = new ScriptedEngines(async () => {
    throw new Error('The graphics processor was lost.');
  });
  const outcome = await new LocalModels(engines, shelf).generate(request(), () => {});
  expect(outcome).toMatchObject({ kind: 'failed', error: 'The graphics processor was lost.' });
  expect(engines.dropped).toBe(1);
});

test('[A105] a model that is not here is said in plain words', async () => {
  const choice = { provider: 'wllama', model: 'gone', apiKey: '' };
  const outcome = await new LocalModels(new ScriptedEngines(), shelf).generate(request({ choice }), () => {});
  expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringContaining('not on this device') });
});

test('[A104] a model too small for tools is given none, and no form to keep to', async () => {
  const engines = new ScriptedEngines(async (_args, onText) => {
    onText('Just words.');
    return { ...done, usage: null };
  });
  const choice = { provider: 'wllama', model: 'talker', apiKey: '' };
  const outcome = await new LocalModels(engines, shelf).generate(request({ choice }), () => {});
  expect(outcome).toMatchObject({
    kind: 'message',
    content: [{ type: 'text', text: 'Just words.' }],
    usage: null,
  });
  expect(engines.asked[0]?.schema).toBeNull();
});

test('[A107] what turns out to be longer than the window is asked again with less of what came before', async () => {
  const tooLong: Script = () => Promise.reject(new SyscallError(TOO_LONG, 'too long'));
  const engines = new ScriptedEngines(tooLong, tooLong, says('Short.'));
  const messages = Array.from({ length: 9 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user' as const, content: [{ type: 'text' as const, text: `u${at}` }], timestamp: 0 }
      : {
          role: 'assistant' as const,
          content: [{ type: 'text' as const, text: `a${at}` }],
          provider: '',
          model: '',
          timestamp: 0,
        },
  );
  const outcome = await new LocalModels(engines, shelf).generate(request({ messages }), () => {});
  expect(outcome).toMatchObject({ kind: 'message' });
  const last = engines.asked.at(-1)?.messages ?? [];
  expect(last[0]?.role).toBe('system');
  expect(last.at(-1)?.content).toBe('u8');
  expect(last.length).toBeLessThan(messages.length);
  expect(
    withoutOldest(last.slice(0, 2).map((message) => ({ ...message, role: 'assistant' as const }))),
  ).toBeUndefined();
});

test.each([
  ['[A142] a model that writes what is no text', GARBLED],
  ['[A151] a model whose graphics processor is lost', DEVICE_LOST],
])('%s is loaded afresh and asked once more, then the run says so', async (_title, code) => {
  const breaks: Script = () => Promise.reject(new SyscallError(code, 'It broke.'));
  const mended = new ScriptedEngines(breaks, says('well'));
  expect(await new LocalModels(mended, shelf).generate(request(), () => {})).toMatchObject({
    kind: 'message',
  });
  expect([mended.loads.length, mended.dropped]).toEqual([2, 1]);
  const broken = new ScriptedEngines(breaks, breaks, says('never asked'));
  expect(await new LocalModels(broken, shelf).generate(request(), () => {})).toMatchObject({
    kind: 'failed',
    error: 'It broke.',
    retryable: false,
  });
});
