import type { Wllama } from '@wllama/wllama/esm/index.js';
import type { Generation } from './api.ts';
import { Texts } from './texts.ts';

const TEMPERATURE = 0.4;

let engine: Wllama | null = null;

/** The bare engine: wllama as its own documentation has it, with the options that the page's engine gives. */
export async function openBareWllama(gguf: string, wasm: string, contextWindow: number): Promise<void> {
  const { Wllama, LoggerWithoutDebug } = await import('@wllama/wllama/esm/index.js');
  const file = await (await fetch(gguf)).blob();
  engine = new Wllama({ default: wasm }, { logger: LoggerWithoutDebug, suppressNativeLog: true });
  engine.setCompat(null);
  await engine.loadModel([file], {
    n_ctx: contextWindow,
    n_gpu_layers: 0,
    n_threads: 1,
    n_parallel: 1,
    jinja: true,
    reasoning: false,
  });
}

/** Reads `prompt` tokens (bytes, to this model) and writes `most`. */
export async function generateBare(prompt: number, most: number): Promise<Generation> {
  if (!engine) throw new Error('No model is loaded');
  const texts = new Texts();
  let tokens = 0;
  await engine.createChatCompletion({
    messages: [
      { role: 'system', content: 'x'.repeat(prompt) },
      { role: 'user', content: 'go on' },
    ],
    max_tokens: most,
    temperature: TEMPERATURE,
    cache_prompt: true,
    stream: true,
    onData: ({ choices, timings }) => {
      if (choices[0]?.delta.content) texts.heard(choices[0].delta.content);
      tokens = timings?.predicted_n ?? tokens;
    },
  });
  return { ms: texts.ms, characters: texts.characters, tokens, prompt };
}
