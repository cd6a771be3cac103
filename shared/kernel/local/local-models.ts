import { SyscallError } from '../../protocol/errors.ts';
import type {
  ModelChoice,
  ModelDelta,
  ModelInfo,
  ModelOutcome,
  ModelRequest,
  Models,
  Usage,
} from '../ports/models.ts';
import { AnswerReader } from './answer-reader.ts';
import { answerSchema } from './call-schema.ts';
import type { Engine, EngineMessage, GenerateArgs, Generated, LoadArgs, Loaded } from './engine.ts';
import { toEngineMessages } from './engine-messages.ts';
import type { EngineName } from './engine-names.ts';

/** The lender is gone, in the middle of a sentence or before: what it did is void, and another may do it again. */
export class EngineLost extends Error {}

/** What was asked is longer than the model's window. */
export const TOO_LONG = 413;
/** What the model wrote is no text: its engine gave up. */
export const GARBLED = 422;
/** The graphics processor is gone, and what was loaded there. */
export const DEVICE_LOST = 503;

/** Where engines come from. */
export interface Engines {
  /** Waits until a page lends one; `onWaiting` is told so once. Rejects when the signal aborts, or no page ever can. */
  engine(name: EngineName, onWaiting: () => void, signal: AbortSignal): Promise<Engine>;
  /** The next one asked for begins afresh. */
  drop(engine: Engine): void;
}

export type ShelvedModel = { name: string; files: string[]; contextWindow: number; callsTools: boolean };

/** The models that lie on this device. */
export interface Shelf {
  find(engine: EngineName, model: string): Promise<ShelvedModel | undefined>;
  list(engine: EngineName): Promise<ModelInfo[]>;
  /** What a generation measured. Must not throw. */
  measured(engine: EngineName, model: string, tokensPerSecond: number): void;
}

/** Words are drawn by lot, and a device may come back: what went wrong once is tried so many times more. */
const AGAIN = 1;
const ANEW = 'It broke off; loading it anew';
const ELSEWHERE = 'The tab that ran the model is gone; going on in another';
/** Too few to measure a speed by. */
const FEW_TOKENS = 16;
/** An answer takes at most this part of the window. */
const ANSWER_SHARE = 4;
const MOST_ANSWER_TOKENS = 1_024;

/** A generation that ended where its window was full; what it used nobody counted. */
const CUT: Generated = { stop: 'length', usage: null, generatingMs: 0 };

type Status = (text: string) => void;

/** Models that run on this device, behind the same port as those of the network. One generation goes on at a time. */
export class LocalModels implements Models {
  readonly #engines: Engines;
  readonly #shelf: Shelf;
  #generations = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** The engine that was asked last, and what it has loaded; null while it loads. */
  #held: { engine: Engine; loaded: { key: string; info: Loaded } | null } | null = null;

  constructor(engines: Engines, shelf: Shelf) {
    this.#engines = engines;
    this.#shelf = shelf;
  }

  generate(
    request: ModelRequest,
    onDelta: (delta: ModelDelta) => void,
    onStatus: Status = () => {},
  ): Promise<ModelOutcome> {
    const outcome = this.#last.then(() => this.#generate(request, onDelta, onStatus));
    this.#last = outcome;
    return outcome;
  }

  list({ provider }: Omit<ModelChoice, 'model'>): Promise<ModelInfo[]> {
    return this.#shelf.list(provider as EngineName);
  }

  async describe({ provider, model }: Pick<ModelChoice, 'provider' | 'model'>) {
    const shelved = await this.#shelf.find(provider as EngineName, model);
    return shelved && limitsOf(shelved.contextWindow);
  }

  relayed(): boolean {
    return false;
  }

  async #generate(
    request: ModelRequest,
    onDelta: (delta: ModelDelta) => void,
    onStatus: Status,
  ): Promise<ModelOutcome> {
    for (let broken = 0; ; ) {
      try {
        return await this.#attempt(request, onDelta, onStatus);
      } catch (thrown) {
        this.#forget();
        if (request.signal.aborted) return { kind: 'aborted', partial: [], usage: null };
        if (isA(GARBLED, thrown) || isA(DEVICE_LOST, thrown)) broken += 1;
        else if (!(thrown instanceof EngineLost)) return failed(thrown);
        if (broken > AGAIN) return failed(thrown);
        onStatus(thrown instanceof EngineLost ? ELSEWHERE : ANEW);
        onDelta({ type: 'start' });
      }
    }
  }

  async #attempt(
    request: ModelRequest,
    onDelta: (delta: ModelDelta) => void,
    onStatus: Status,
  ): Promise<ModelOutcome> {
    const { choice, signal } = request;
    const shelved = await this.#shelf.find(choice.provider as EngineName, choice.model);
    if (!shelved) throw new Error('This model is not on this device. Download it in Settings, Models.');
    const { engine, info } = await this.#load(choice, shelved, onStatus, signal);
    onStatus('thinking');
    const tools = shelved.callsTools ? request.tools : [];
    const reader = new AnswerReader(
      tools.map(({ name }) => name),
      onDelta,
    );
    let begun = '';
    const args: GenerateArgs = {
      id: '',
      messages: toEngineMessages(request, shelved.callsTools),
      schema: info.constrains && tools.length > 0 ? answerSchema(tools) : null,
      maxTokens: request.maxTokens,
    };
    const onText = (text: string): void => {
      begun += text;
      reader.push(text);
    };
    try {
      const generated = await this.#ask(engine, args, onText, signal);
      this.#measure(choice, generated);
      return outcomeOf(reader, generated);
    } catch (thrown) {
      // The window was full in the middle of what it said.
      if (begun !== '' && isA(TOO_LONG, thrown)) return outcomeOf(reader, CUT);
      if (!signal.aborted) throw thrown;
      return { kind: 'aborted', partial: begun === '' ? [] : reader.finish(), usage: null };
    }
  }

  /**
   * Tokens were estimated, and the engine counts them: what turns out to be too long is asked again with less of what
   * came before. The archive keeps all of it.
   */
  async #ask(
    engine: Engine,
    args: GenerateArgs,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Generated> {
    this.#generations += 1;
    let begun = false;
    const heard = (text: string): void => {
      begun = true;
      onText(text);
    };
    try {
      return await engine.generate({ ...args, id: String(this.#generations) }, heard, signal);
    } catch (thrown) {
      const shorter = isA(TOO_LONG, thrown) && !begun ? withoutOldest(args.messages) : undefined;
      if (!shorter) throw thrown;
      return this.#ask(engine, { ...args, messages: shorter }, onText, signal);
    }
  }

  async #load(choice: ModelChoice, shelved: ShelvedModel, onStatus: Status, signal: AbortSignal) {
    const name = choice.provider as EngineName;
    const key = `${name}/${choice.model}`;
    const engine = await this.#engines.engine(
      name,
      () => onStatus('Waiting for an open tab of GSV to run the model'),
      signal,
    );
    const held = this.#held?.engine === engine ? this.#held.loaded : null;
    if (held?.key === key) return { engine, info: held.info };
    this.#held = { engine, loaded: null };
    onStatus(`Loading ${shelved.name}`);
    const args: LoadArgs = {
      engine: name,
      model: choice.model,
      files: shelved.files,
      contextWindow: shelved.contextWindow,
    };
    const info = await engine.load(args, (text) => onStatus(`Loading ${shelved.name}: ${text}`), signal);
    this.#held = { engine, loaded: { key, info } };
    return { engine, info };
  }

  /** After a failure nobody knows what state the engine is in, nor whether it has stopped loading. */
  #forget(): void {
    if (this.#held) this.#engines.drop(this.#held.engine);
    this.#held = null;
  }

  #measure({ provider, model }: ModelChoice, { usage, generatingMs }: Generated): void {
    if (!usage || usage.output < FEW_TOKENS || generatingMs <= 0) return;
    this.#shelf.measured(provider as EngineName, model, (usage.output * 1_000) / generatingMs);
  }
}

/** What an answer and a prompt may take of a window. */
export function limitsOf(contextWindow: number): { contextWindow: number; maxTokens: number } {
  const share = Math.floor(contextWindow / ANSWER_SHARE);
  return { contextWindow, maxTokens: Math.max(1, Math.min(MOST_ANSWER_TOKENS, share)) };
}

function isA(code: number, thrown: unknown): boolean {
  return thrown instanceof SyscallError && thrown.code === code;
}

/** The system text and the newer half of the rest, which begins with the user. Undefined when nothing is left to take away. */
export function withoutOldest(messages: readonly EngineMessage[]): EngineMessage[] | undefined {
  const [head, ...rest] = messages;
  const half = rest.slice(Math.ceil(rest.length / 2));
  const from = half.findIndex(({ role }) => role === 'user');
  return head && from >= 0 ? [head, ...half.slice(from)] : undefined;
}

function outcomeOf(reader: AnswerReader, generated: Generated): ModelOutcome {
  const content = reader.finish();
  const usage = usageOf(generated);
  if (content.length === 0)
    return { kind: 'failed', error: 'The model answered with nothing.', retryable: true, partial: [], usage };
  const called = content.some(({ type }) => type === 'toolCall');
  const stop = generated.stop === 'length' ? 'length' : called ? 'toolUse' : 'stop';
  return { kind: 'message', content, usage, stop };
}

function usageOf({ usage }: Generated): Usage | null {
  if (!usage) return null;
  const { input, output, cached } = usage;
  return { input: input - cached, output, cacheRead: cached, cacheWrite: 0, cost: 0 };
}

function failed(thrown: unknown): ModelOutcome {
  const error = thrown instanceof Error ? thrown.message : 'The model failed';
  return { kind: 'failed', error, retryable: false, partial: [], usage: null };
}
