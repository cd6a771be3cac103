import { isLocal } from './engine-names.ts';

/** Why a run asks the model of this device instead of the account's own. */
export const REASONS = ['offline', 'budget'] as const;
export type Reason = (typeof REASONS)[number];

/** The account's setting of this name, resolved. */
type Setting = (name: string) => string | undefined;

export type LocalLink = { provider: string; model: string };

/** The second link of an account's chain: `ai/local`, an engine and one of its models, as `wllama/qwen3-0.6b`. */
export function localLink(setting: Setting): LocalLink | undefined {
  const [provider = '', ...rest] = (setting('ai/local') ?? '').split('/');
  const model = rest.join('/');
  return isLocal(provider) && model !== '' ? { provider, model } : undefined;
}

/** When the second link answers: `ai/local_when`, words with commas; both when nothing is set. */
export function fallbackReasons(setting: Setting): Reason[] {
  const words = setting('ai/local_when')
    ?.split(',')
    .map((word) => word.trim());
  return REASONS.filter((reason) => words?.includes(reason) ?? true);
}

/**
 * Which link of the chain a conversation that never leaves this device asks. Undefined when the account has no model
 * here: then nothing is asked.
 */
export function privateLink(main: LocalLink, setting: Setting): LocalLink | undefined {
  return isLocal(main.provider) ? main : localLink(setting);
}

export const NO_PRIVATE_MODEL =
  'This conversation never leaves this device, and no model of this device is chosen. Choose one in Settings, On this device.';
