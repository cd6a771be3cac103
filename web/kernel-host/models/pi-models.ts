import type { AssistantMessage, AssistantMessageEvent, KnownProvider, Model } from '@earendil-works/pi-ai';
import type {
  ModelChoice,
  ModelDelta,
  ModelFacts,
  ModelInfo,
  ModelOutcome,
  ModelRequest,
  Models,
} from '../../../shared/kernel/ports/models.ts';
import { fromPiContent, fromPiUsage, toPiContext } from './pi-context.ts';
import { explainFailure, type ProviderProblem } from './provider-error.ts';
import type { RelayFetch } from './relay-fetch.ts';
import { loadWire, notLoaded } from './wires.ts';

type Catalogue = Pick<typeof import('@earendil-works/pi-ai'), 'getModels' | 'getProviders'>;
type PiModel = Model<string>;
type Limits = { contextWindow: number; maxTokens: number };

/**
 * pi-ai's wire per provider, for a model that its catalogue does not list yet. Any other provider is an address that
 * speaks OpenAI's chat completions.
 */
const APIS: Record<string, { api: string; baseUrl: string }> = {
  openai: { api: 'openai-responses', baseUrl: 'https://api.openai.com/v1' },
  anthropic: { api: 'anthropic-messages', baseUrl: 'https://api.anthropic.com' },
  google: { api: 'google-generative-ai', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' },
  openrouter: { api: 'openai-completions', baseUrl: 'https://openrouter.ai/api/v1' },
};
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const UNKNOWN_LIMITS: Limits = { contextWindow: 256_000, maxTokens: 8_192 };

/** Network models through pi-ai, loaded when the first one is asked. */
export class PiModels implements Models {
  readonly #relay: RelayFetch;
  #loading: Promise<Catalogue> | null = null;

  constructor(relay: RelayFetch) {
    this.#relay = relay;
  }

  async generate(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<ModelOutcome> {
    try {
      const model = findModel(await this.#catalogue(), request.choice);
      const wire = await loadWire(model.api);
      const stream = wire(model, toPiContext(request, model), {
        // Local servers ask for no key, but the wire's library does.
        apiKey: request.choice.apiKey || 'none',
        maxTokens: request.maxTokens,
        signal: request.signal,
        sessionId: request.affinity,
        maxRetries: 0,
        ...reasoningOf(request.choice),
      });
      for await (const event of stream) {
        const delta = toDelta(event);
        if (delta) onDelta(delta);
      }
      return toOutcome(await stream.result(), request, this.#relay.withheld);
    } catch (thrown) {
      if (request.signal.aborted) return { kind: 'aborted', partial: [], usage: null };
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { kind: 'failed', ...this.#explain(message, request.choice), partial: [], usage: null };
    }
  }

  async list(choice: Omit<ModelChoice, 'model'>): Promise<ModelInfo[]> {
    const pi = await this.#catalogue();
    if (!choice.baseUrl && pi.getProviders().some((known) => known === choice.provider)) {
      return pi
        .getModels(choice.provider as KnownProvider)
        .map(({ id, name, contextWindow }) => ({ id, name, contextWindow }));
    }
    return this.#askForModels(choice);
  }

  async describe(choice: Pick<ModelChoice, 'provider' | 'model'>): Promise<ModelFacts | undefined> {
    const known = catalogued(await this.#catalogue(), choice);
    if (!known) return undefined;
    const { contextWindow, maxTokens, input } = known;
    return { contextWindow, maxTokens, input };
  }

  relayed({ provider, baseUrl }: Pick<ModelChoice, 'provider' | 'baseUrl'>): boolean {
    return this.#relay.relays(baseUrl ?? APIS[provider]?.baseUrl ?? '');
  }

  #explain(message: string, choice: Parameters<typeof explainFailure>[1]): ProviderProblem {
    return explainFailure(message, choice, this.#relay.withheld);
  }

  #catalogue(): Promise<Catalogue> {
    this.#loading ??= import('@earendil-works/pi-ai/models').catch(() => {
      this.#loading = null;
      return notLoaded();
    });
    return this.#loading;
  }

  async #askForModels({ provider, baseUrl = '', apiKey }: Omit<ModelChoice, 'model'>): Promise<ModelInfo[]> {
    const url = `${baseUrl.replace(/\/+$/, '')}/models`;
    if (!URL.canParse(url))
      throw new Error('The address is not a web address, like http://localhost:11434/v1');
    let response: Response;
    try {
      response = await this.#relay.fetch(url, {
        headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      });
    } catch (thrown) {
      throw new Error(this.#explain(String(thrown), { provider, model: '', baseUrl, apiKey }).error);
    }
    if (!response.ok)
      throw new Error(this.#explain(String(response.status), { provider, model: '', baseUrl, apiKey }).error);
    return parseModels(await response.json().catch(() => null));
  }
}

function parseModels(body: unknown): ModelInfo[] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw new Error('The address answered, but not with a list of models.');
  return data.flatMap((entry: unknown) => {
    const id = (entry as { id?: unknown } | null)?.id;
    return typeof id === 'string' ? [{ id, name: id }] : [];
  });
}

function catalogued(
  pi: Catalogue,
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
): PiModel | undefined {
  if (!pi.getProviders().some((known) => known === provider)) return undefined;
  return pi.getModels(provider as KnownProvider).find(({ id }) => id === model) as PiModel | undefined;
}

function findModel(pi: Catalogue, choice: ModelChoice): PiModel {
  const known = catalogued(pi, choice);
  if (known) return choice.baseUrl ? { ...known, baseUrl: choice.baseUrl } : known;
  const wire = APIS[choice.provider] ?? { api: 'openai-completions', baseUrl: '' };
  const model: PiModel = {
    id: choice.model,
    name: choice.model,
    api: wire.api,
    provider: choice.provider,
    baseUrl: choice.baseUrl ?? wire.baseUrl,
    reasoning: false,
    input: ['text', 'image'],
    cost: FREE,
    ...UNKNOWN_LIMITS,
  };
  // What the common local servers agree on; a field they do not know makes some of them refuse.
  const compat = {
    supportsStore: false,
    supportsDeveloperRole: false,
    supportsReasoningEffort: false,
    maxTokensField: 'max_tokens',
    supportsStrictMode: false,
  } as const;
  if (wire.api !== 'openai-completions') return model;
  const compatible: Model<'openai-completions'> = { ...model, api: 'openai-completions', compat };
  return compatible as Model<never> as PiModel;
}

function reasoningOf({ reasoning }: ModelChoice): { reasoning?: 'minimal' | 'low' | 'medium' | 'high' } {
  return reasoning === 'minimal' || reasoning === 'low' || reasoning === 'medium' || reasoning === 'high'
    ? { reasoning }
    : {};
}

function toDelta(event: AssistantMessageEvent): ModelDelta | undefined {
  switch (event.type) {
    case 'text_start':
    case 'thinking_start':
    case 'toolcall_start':
    case 'text_end':
    case 'thinking_end':
    case 'toolcall_end':
      return { type: event.type, contentIndex: event.contentIndex };
    case 'text_delta':
    case 'thinking_delta':
    case 'toolcall_delta':
      return { type: event.type, contentIndex: event.contentIndex, delta: event.delta };
    default:
      return undefined;
  }
}

function toOutcome(message: AssistantMessage, request: ModelRequest, withheld: boolean): ModelOutcome {
  const content = fromPiContent(message.content);
  const usage = fromPiUsage(message.usage);
  const { stopReason } = message;
  if (request.signal.aborted || stopReason === 'aborted') return { kind: 'aborted', partial: content, usage };
  if (stopReason === 'error') {
    return {
      kind: 'failed',
      ...explainFailure(message.errorMessage ?? '', request.choice, withheld),
      partial: content,
      usage,
    };
  }
  if (content.length === 0) {
    return { kind: 'failed', error: 'The model answered with nothing.', retryable: true, partial: [], usage };
  }
  return { kind: 'message', content, usage, stop: stopReason };
}
