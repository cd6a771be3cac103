import type { ChatCompletionChunk, ChatCompletionRequestStreaming, MLCEngineConfig } from '@mlc-ai/web-llm';
import type { Engine, GenerateArgs, Generated, LoadArgs, Loaded } from '../../shared/kernel/local/engine.ts';
import { explainWebllm } from './webllm-words.ts';

/** As for the processor: warm enough not to loop, cool enough for a call's arguments. */
const TEMPERATURE = 0.4;

/** What is used of WebLLM. */
export type Mlc = {
  reload(modelId: string): Promise<void>;
  unload(): Promise<void>;
  interruptGenerate(): void;
  chat: {
    completions: {
      create(request: ChatCompletionRequestStreaming): Promise<AsyncIterable<ChatCompletionChunk>>;
    };
  };
};
export type MakeMlc = (config: MLCEngineConfig) => Mlc;
/** `navigator.gpu`. */
export type Gpu = { requestAdapter(): Promise<object | null> };

/** WebLLM: models compiled for the graphics processor. Their files are in its caches by now. */
export class WebllmEngine implements Engine {
  readonly #gpu: Gpu | undefined;
  readonly #make: MakeMlc;
  #mlc: Mlc | null = null;

  constructor(gpu: Gpu | undefined, make: MakeMlc) {
    this.#gpu = gpu;
    this.#make = make;
  }

  static async make(): Promise<WebllmEngine> {
    const { MLCEngine } = await import('@mlc-ai/web-llm');
    return new WebllmEngine((navigator as { gpu?: Gpu }).gpu, (config) => new MLCEngine(config));
  }

  async load(args: LoadArgs, onProgress: (text: string) => void, signal: AbortSignal): Promise<Loaded> {
    await this.unload();
    const [model = '', program = ''] = args.files;
    // WebLLM asks for it only when it has read everything else.
    if (!(await this.#gpu?.requestAdapter()))
      throw new Error(
        'This browser offers no graphics processor (WebGPU). Choose a model for the processor.',
      );
    const record = {
      model,
      model_id: args.model,
      model_lib: program,
      overrides: { context_window_size: args.contextWindow },
    };
    const mlc = this.#make({
      appConfig: { model_list: [record] },
      initProgressCallback: ({ progress }) => onProgress(`${Math.round(progress * 100)} %`),
      logLevel: 'SILENT',
    });
    this.#mlc = mlc;
    const stop = (): void => void mlc.unload().catch(() => {});
    signal.addEventListener('abort', stop);
    try {
      await mlc.reload(args.model);
      signal.throwIfAborted();
    } catch (thrown) {
      await this.unload();
      throw explainWebllm(thrown);
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return { contextWindow: args.contextWindow, constrains: true };
  }

  async generate(
    { messages, schema, maxTokens }: GenerateArgs,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Generated> {
    const mlc = this.#mlc;
    if (!mlc) throw new Error('No model is loaded');
    const stop = (): void => mlc.interruptGenerate();
    signal.addEventListener('abort', stop);
    try {
      const chunks = await mlc.chat.completions.create({
        messages,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: maxTokens,
        temperature: TEMPERATURE,
        ...(schema ? { response_format: { type: 'json_object', schema: JSON.stringify(schema) } } : {}),
      });
      const generated = await read(chunks, onText);
      signal.throwIfAborted();
      return generated;
    } catch (thrown) {
      throw explainWebllm(thrown);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async unload(): Promise<void> {
    const mlc = this.#mlc;
    this.#mlc = null;
    await mlc?.unload().catch(() => {});
  }
}

async function read(
  chunks: AsyncIterable<ChatCompletionChunk>,
  onText: (text: string) => void,
): Promise<Generated> {
  let stop: Generated['stop'] = 'stop';
  let usage: Generated['usage'] = null;
  let generatingMs = 0;
  for await (const { choices, usage: counted } of chunks) {
    const [choice] = choices;
    if (choice?.delta.content) onText(choice.delta.content);
    if (choice?.finish_reason === 'length') stop = 'length';
    if (!counted) continue;
    const { prompt_tokens: input, completion_tokens: output, extra } = counted;
    // It reads only what is new of a dialogue, and counts that alone.
    usage = { input, output, cached: 0 };
    generatingMs = extra.decode_tokens_per_s > 0 ? (output * 1_000) / extra.decode_tokens_per_s : 0;
  }
  return { stop, usage, generatingMs };
}
