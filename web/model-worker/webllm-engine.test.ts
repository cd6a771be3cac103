import type { ChatCompletionChunk, ChatCompletionRequestStreaming, MLCEngineConfig } from '@mlc-ai/web-llm';
import { expect, test } from 'vitest';
import { DEVICE_LOST, TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { type Mlc, WebllmEngine } from './webllm-engine.ts';

const LOAD = {
  engine: 'webllm' as const,
  model: 'm',
  files: ['http://h/w/', 'http://h/p.wasm'],
  contextWindow: 4_096,
};
const going = new AbortController().signal;
const gpu = { requestAdapter: async () => ({}) };
const named = (name: string): Error => Object.assign(new Error('x'), { name });
const ask = {
  id: '1',
  messages: [{ role: 'user' as const, content: 'hi' }],
  schema: { type: 'object' },
  maxTokens: 50,
};

/** WebLLM's engine, which says what the test says. */
class ScriptedMlc implements Mlc {
  readonly asked: ChatCompletionRequestStreaming[] = [];
  config: MLCEngineConfig | undefined;
  interrupted = 0;
  refuses: Error | undefined;
  says: (string | Error)[] = [];
  readonly chat = {
    completions: {
      create: async (request: ChatCompletionRequestStreaming) => {
        this.asked.push(request);
        return this.#chunks();
      },
    },
  };

  async reload(): Promise<void> {
    this.config?.initProgressCallback?.({ progress: 0.5, timeElapsed: 1, text: 'half' });
    if (this.refuses) throw this.refuses;
  }

  async unload(): Promise<void> {}

  interruptGenerate(): void {
    this.interrupted += 1;
  }

  async *#chunks(): AsyncIterable<ChatCompletionChunk> {
    const chunk = (more: object): ChatCompletionChunk =>
      ({ choices: [], ...more }) as unknown as ChatCompletionChunk;
    for (const said of this.says) {
      if (said instanceof Error) throw said;
      yield chunk({ choices: [{ delta: { content: said }, finish_reason: null }] });
    }
    yield chunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    yield chunk({ usage: { prompt_tokens: 9, completion_tokens: 20, extra: { decode_tokens_per_s: 40 } } });
  }
}

async function loaded(mlc: ScriptedMlc): Promise<WebllmEngine> {
  const engine = new WebllmEngine(gpu, (config) => {
    mlc.config = config;
    return mlc;
  });
  await engine.load(LOAD, () => {}, going);
  return engine;
}

test('[A150] WebLLM (its engine scripted) is given the model’s own files and the schema of the calls, and answers as it goes', async () => {
  const mlc = new ScriptedMlc();
  mlc.says = ['{"say":', '"hello"}'];
  const engine = await loaded(mlc);
  expect(mlc.config?.appConfig?.model_list).toEqual([
    {
      model: 'http://h/w/',
      model_id: 'm',
      model_lib: 'http://h/p.wasm',
      overrides: { context_window_size: 4_096 },
    },
  ]);
  let said = '';
  const generated = await engine.generate(ask, (text) => (said += text), going);
  expect([said, generated]).toEqual([
    '{"say":"hello"}',
    { stop: 'stop', usage: { input: 9, output: 20, cached: 0 }, generatingMs: 500 },
  ]);
  expect(mlc.asked[0]).toMatchObject({
    response_format: { type: 'json_object', schema: '{"type":"object"}' },
    max_tokens: 50,
  });
});

test('[A151] whatever WebLLM refuses (its engine scripted) is a sentence; a lost device and a full window are told apart', async () => {
  for (const none of [undefined, { requestAdapter: async () => null }]) {
    const engine = new WebllmEngine(none, () => new ScriptedMlc());
    await expect(engine.load(LOAD, () => {}, going)).rejects.toThrow('offers no graphics processor');
  }
  for (const [error, words] of [
    [named('ShaderF16SupportError'), 'shader-f16'],
    [named('UnsupportedTokenizerFilesError'), 'no tokenizer'],
    [named('CompileError'), 'is damaged'],
    [named('QuotaExceededError'), 'no room left'],
    [new TypeError('Failed to fetch'), 'download it again'],
    [new RangeError('Array buffer allocation failed'), 'not enough memory'],
    [named('DeviceLostError'), 'graphics processor was lost'],
  ] as const) {
    const mlc = new ScriptedMlc();
    mlc.refuses = error;
    await expect(loaded(mlc)).rejects.toThrow(words);
  }
  const mlc = new ScriptedMlc();
  const engine = await loaded(mlc);
  mlc.says = ['half', named('DeviceLostError')];
  await expect(engine.generate(ask, () => {}, going)).rejects.toMatchObject({ code: DEVICE_LOST });
  mlc.says = [named('ContextWindowSizeExceededError')];
  await expect(engine.generate(ask, () => {}, going)).rejects.toMatchObject({ code: TOO_LONG });
});

test('[A150] stopping an answer of WebLLM (its engine scripted) interrupts it', async () => {
  const mlc = new ScriptedMlc();
  const stop = new AbortController();
  mlc.says = ['one', 'two'];
  const engine = await loaded(mlc);
  await expect(engine.generate(ask, () => stop.abort(), stop.signal)).rejects.toThrow();
  expect(mlc.interrupted).toBe(1);
});
