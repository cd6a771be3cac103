import type { AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from '@earendil-works/pi-ai';

/** Streams one message over one provider's wire. */
export type Wire = (
  model: Model<string>,
  context: Context,
  options: SimpleStreamOptions,
) => AssistantMessageEventStream;

const wires: Record<string, () => Promise<unknown>> = {
  'openai-completions': async () =>
    (await import('@earendil-works/pi-ai/openai-completions')).streamSimpleOpenAICompletions,
  'openai-responses': async () =>
    (await import('@earendil-works/pi-ai/openai-responses')).streamSimpleOpenAIResponses,
  'anthropic-messages': async () => (await import('@earendil-works/pi-ai/anthropic')).streamSimpleAnthropic,
  'google-generative-ai': async () => (await import('@earendil-works/pi-ai/google')).streamSimpleGoogle,
};

/** What a person is told when code that is loaded late cannot be had. */
export function notLoaded(): never {
  throw new Error('A part of GSV was not loaded yet, and the server that has it cannot be reached.');
}

/** The code for one wire, fetched when it is first used. Rejects for a wire that this program does not carry. */
export async function loadWire(api: string): Promise<Wire> {
  const load = wires[api];
  if (!load) throw new Error(`This model speaks ${api}, which is not supported`);
  return (await load().catch(notLoaded)) as Wire;
}
