/** The part of the browsers' Prompt API that is used here (webmachinelearning.github.io/prompt-api). Pages alone have it. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

export type PromptMessage = { role: 'system' | 'user' | 'assistant'; content: string };

type Languages = { type: 'text'; languages: string[] }[];
export type ModelOptions = { expectedInputs: Languages; expectedOutputs: Languages };

export type SessionOptions = ModelOptions & {
  initialPrompts?: PromptMessage[];
  signal?: AbortSignal;
  monitor?(monitor: EventTarget): void;
};

export type PromptOptions = {
  /** A JSON schema of the whole answer. */
  responseConstraint?: object;
  /** Leaves it to the caller to tell the model of the schema. */
  omitResponseConstraintInput?: boolean;
  signal?: AbortSignal;
};

export type PromptSession = {
  promptStreaming(messages: PromptMessage[], options: PromptOptions): ReadableStream<string>;
  /** Tokens: read and written so far, and how many fit. */
  readonly contextUsage: number;
  readonly contextWindow: number;
  destroy(): void;
};

export type PromptApi = {
  availability(options: ModelOptions): Promise<Availability>;
  /** Downloads the model where it is not here; that needs a click of the person just before. */
  create(options: SessionOptions): Promise<PromptSession>;
};

/** What this page's browser has; undefined where it has none. */
export function promptApi(): PromptApi | undefined {
  return (globalThis as { LanguageModel?: PromptApi }).LanguageModel;
}

/** The person's language where the model speaks it, else English. */
export async function modelOptions(api: PromptApi, language: string): Promise<ModelOptions> {
  const options = optionsFor(language.split('-')[0] ?? 'en');
  const known = await api.availability(options).catch(() => 'unavailable');
  return known === 'unavailable' ? optionsFor('en') : options;
}

function optionsFor(language: string): ModelOptions {
  const languages: Languages = [{ type: 'text', languages: [...new Set(['en', language])] }];
  return { expectedInputs: languages, expectedOutputs: languages };
}
