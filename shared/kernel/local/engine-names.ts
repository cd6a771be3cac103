/** Programs that run models on the device; as providers of models they go by the same names. */
export const ENGINES = ['wllama', 'webllm', 'browser'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Whether a provider's models run on the device itself. */
export function isLocal(provider: string): provider is EngineName {
  return ENGINES.some((name) => name === provider);
}
