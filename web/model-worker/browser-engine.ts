import type {
  Engine,
  EngineMessage,
  GenerateArgs,
  Generated,
  LoadArgs,
  Loaded,
} from '../../shared/kernel/local/engine.ts';
import { TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import { modelOptions, type PromptApi, type PromptOptions, type PromptSession } from './prompt-api.ts';

/** The API limits no answer: one that runs away is cut at about so many characters a token. */
const CHARACTERS_PER_TOKEN = 8;

const REASONS: Record<string, string> = {
  NotAllowedError: 'The browser does not let this page use its model.',
  NotReadableError: 'The browser held back what its model wrote.',
  NotSupportedError: 'The browser’s model does not know this language, or this kind of answer.',
  InvalidStateError: 'The browser has ended its model. Try again.',
  OperationError: 'The browser’s model failed. Try again.',
  UnknownError: 'The browser’s model failed. Try again.',
};

/** The model that the browser itself has. It remembers a dialogue, and reads only what is new of the next request. */
export class BrowserEngine implements Engine {
  readonly #api: PromptApi | undefined;
  readonly #language: string;
  #session: PromptSession | null = null;
  /** What the session has read and written. */
  #known: EngineMessage[] = [];

  constructor(api: PromptApi | undefined, language: string) {
    this.#api = api;
    this.#language = language;
  }

  async load(_args: LoadArgs, onProgress: (text: string) => void, signal: AbortSignal): Promise<Loaded> {
    await this.unload();
    const api = this.#required();
    const available = await api.availability(await modelOptions(api, this.#language));
    if (available === 'unavailable') throw new Error('This device cannot run the browser’s own model.');
    if (available !== 'available')
      throw new Error(
        'The browser’s own model is not downloaded yet. Download it in Settings, On this device.',
      );
    onProgress('starting the browser’s model');
    this.#session = await this.#begin([], signal);
    return { contextWindow: Math.floor(this.#session.contextWindow), constrains: true };
  }

  async generate(
    { messages, schema, maxTokens }: GenerateArgs,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Generated> {
    try {
      const { session, fresh } = await this.#sessionFor(messages, signal);
      const before = session.contextUsage;
      const options: PromptOptions = {
        signal,
        ...(schema ? { responseConstraint: schema, omitResponseConstraintInput: true } : {}),
      };
      const text = new Answer(onText, maxTokens * CHARACTERS_PER_TOKEN);
      await text.read(session.promptStreaming(fresh, options));
      this.#known = [...messages, { role: 'assistant', content: text.said }];
      if (text.cut) await this.unload();
      return {
        stop: text.cut ? 'length' : 'stop',
        usage: text.usage(before, session),
        generatingMs: text.ms,
      };
    } catch (thrown) {
      // What it has read by now is not known.
      await this.unload();
      throw explained(thrown);
    }
  }

  async unload(): Promise<void> {
    this.#session?.destroy();
    this.#session = null;
    this.#known = [];
  }

  /** The session that knows the beginning of a dialogue, and what of it is new to that. */
  async #sessionFor(messages: EngineMessage[], signal: AbortSignal) {
    const known = this.#known;
    const goesOn = known.length > 0 && known.length < messages.length && known.every(same(messages));
    if (this.#session && goesOn) return { session: this.#session, fresh: messages.slice(known.length) };
    await this.unload();
    const session = await this.#begin(messages.slice(0, -1), signal);
    this.#session = session;
    return { session, fresh: messages.slice(-1) };
  }

  async #begin(initialPrompts: EngineMessage[], signal: AbortSignal): Promise<PromptSession> {
    const api = this.#required();
    const options = await modelOptions(api, this.#language);
    return api.create({ ...options, signal, ...(initialPrompts.length > 0 ? { initialPrompts } : {}) });
  }

  #required(): PromptApi {
    if (!this.#api)
      throw new Error('This browser has no model of its own. Chrome and Edge have one on many computers.');
    return this.#api;
  }
}

function same(messages: EngineMessage[]) {
  return ({ role, content }: EngineMessage, at: number): boolean =>
    messages[at]?.role === role && compact(messages[at]?.content ?? '') === compact(content);
}

/** What was written as JSON stands in the dialogue without its spaces. */
function compact(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** An answer as it comes. */
class Answer {
  readonly #onText: (text: string) => void;
  readonly #most: number;
  #from = 0;
  said = '';
  cut = false;
  ms = 0;

  constructor(onText: (text: string) => void, most: number) {
    this.#onText = onText;
    this.#most = most;
  }

  async read(stream: ReadableStream<string>): Promise<void> {
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      this.#from ||= performance.now();
      this.said += part.value;
      this.#onText(part.value);
      if (this.said.length <= this.#most) continue;
      this.cut = true;
      await reader.cancel();
      break;
    }
    this.ms = this.#from === 0 ? 0 : performance.now() - this.#from;
  }

  /** The browser counts both together; what was written is estimated from its characters. */
  usage(before: number, { contextUsage }: PromptSession): Generated['usage'] {
    if (!Number.isFinite(contextUsage) || contextUsage <= before) return null;
    const output = Math.min(contextUsage - before, Math.ceil(this.said.length / 4));
    return { input: contextUsage - output, output, cached: before };
  }
}

function explained(thrown: unknown): Error {
  const name = thrown instanceof Error || thrown instanceof DOMException ? thrown.name : '';
  if (name === 'QuotaExceededError')
    return new SyscallError(TOO_LONG, 'This is more than the browser’s model can read at once.');
  const known = REASONS[name];
  if (known !== undefined) return new Error(known);
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}
