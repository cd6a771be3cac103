import type { ChatCompletionChunk, Wllama } from '@wllama/wllama/esm/index.js';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import type { Engine, GenerateArgs, Generated, LoadArgs, Loaded } from '../../shared/kernel/local/engine.ts';
import { explainLlama, explainLoad } from './llama-words.ts';
import { ownFile } from './own-files.ts';

/** Warm enough not to loop, cool enough for a call's arguments. */
const TEMPERATURE = 0.4;
const ABORTED = 'Stopped';
const ERRORS_ONLY = 4;

type Library = typeof import('@wllama/wllama/esm/index.js');

/** llama.cpp on the processor, one thread: on every device, from a GGUF file. */
export class WllamaEngine implements Engine {
  readonly #library: Library;
  /** llama.cpp says there what went wrong; the library's own words are of no use to a person. */
  readonly #logger = {
    debug: () => {},
    log: () => {},
    warn: () => {},
    error: (...words: unknown[]) => {
      // The first one is the cause; what follows are stacks.
      this.#lastError ||= words.join(' ').trim();
    },
  };
  #lastError = '';
  #wllama: Wllama | null = null;

  constructor(library: Library) {
    this.#library = library;
  }

  static async make(): Promise<WllamaEngine> {
    if (!('Suspending' in WebAssembly))
      throw new Error(
        'This browser cannot run models on the processor: it lacks WebAssembly promises (JSPI).',
      );
    return new WllamaEngine(await import('@wllama/wllama/esm/index.js'));
  }

  async load(args: LoadArgs, onProgress: (text: string) => void): Promise<Loaded> {
    await this.unload();
    this.#lastError = '';
    onProgress('reading the file');
    const file = await ownFile(args.files);
    const { Wllama } = this.#library;
    const wllama = new Wllama({ default: wasmUrl }, { logger: this.#logger });
    // No compatibility code from a CDN: this origin's own or none.
    wllama.setCompat(null);
    this.#wllama = wllama;
    try {
      await wllama.loadModel([file], {
        log_level: ERRORS_ONLY,
        n_ctx: args.contextWindow,
        n_gpu_layers: 0,
        n_threads: 1,
        n_parallel: 1,
        jinja: true,
        reasoning: false,
      });
    } catch (thrown) {
      await this.unload();
      throw explainLoad(this.#lastError || wordsOf(thrown));
    }
    return { contextWindow: wllama.getLoadedContextInfo().n_ctx, constrains: true };
  }

  async generate(
    { messages, schema, maxTokens }: GenerateArgs,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Generated> {
    if (!this.#wllama) throw new Error('No model is loaded');
    this.#lastError = '';
    const reading = new ChunkReader(onText);
    try {
      await this.#wllama.createChatCompletion({
        messages,
        max_tokens: maxTokens,
        temperature: TEMPERATURE,
        cache_prompt: true,
        stream: true,
        abortSignal: signal,
        onData: (chunk) => reading.read(chunk),
        ...(schema
          ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
          : {}),
      });
    } catch (thrown) {
      if (signal.aborted) throw new Error(ABORTED);
      throw explainLlama(this.#lastError || wordsOf(thrown));
    }
    return reading.result();
  }

  async unload(): Promise<void> {
    const wllama = this.#wllama;
    this.#wllama = null;
    await wllama?.exit();
  }
}

class ChunkReader {
  readonly #onText: (text: string) => void;
  #stop: Generated['stop'] = 'stop';
  #usage: Generated['usage'] = null;
  #ms = 0;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  read({ choices, usage, timings }: ChatCompletionChunk): void {
    const [choice] = choices;
    if (choice?.delta.content) this.#onText(choice.delta.content);
    if (choice?.finish_reason === 'length') this.#stop = 'length';
    if (usage) {
      const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
      this.#usage = { input, output, cached: details?.cached_tokens ?? 0 };
    }
    if (!timings) return;
    this.#ms = timings.predicted_ms;
    this.#usage ??= {
      input: timings.prompt_n + timings.cache_n,
      output: timings.predicted_n,
      cached: timings.cache_n,
    };
  }

  result(): Generated {
    return { stop: this.#stop, usage: this.#usage, generatingMs: this.#ms };
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
