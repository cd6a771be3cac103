import type { Page } from '../context.ts';
import { findUid } from './own-uid.ts';

/** How the account reaches its model: the keys under `users/<uid>/ai/`, apart from the API key, which is never read. */
export type ModelSettings = {
  provider: string;
  baseUrl: string;
  model: string;
  maxTokens: string;
  maxTurns: string;
  maxCost: string;
  /** Empty: as it is known of the model. */
  seesImages: string;
};

export const noSettings: ModelSettings = {
  provider: '',
  baseUrl: '',
  model: '',
  maxTokens: '',
  maxTurns: '',
  maxCost: '',
  seesImages: '',
};

const keys: Record<keyof ModelSettings, string> = {
  provider: 'provider',
  baseUrl: 'base_url',
  model: 'model',
  maxTokens: 'max_tokens',
  maxTurns: 'max_turns',
  maxCost: 'budget/run_cost',
  seesImages: 'sees_images',
};

export const COMPATIBLE = 'openai-compatible';

export const providers: readonly { id: string; name: string; keyHint: string; example: string }[] = [
  { id: 'anthropic', name: 'Anthropic', keyHint: 'Begins with sk-ant-', example: 'claude-sonnet-4-5' },
  { id: 'openai', name: 'OpenAI', keyHint: 'Begins with sk-', example: 'gpt-5' },
  { id: 'google', name: 'Google', keyHint: 'A Gemini API key', example: 'gemini-2.5-pro' },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    keyHint: 'Begins with sk-or-',
    example: 'anthropic/claude-sonnet-4.5',
  },
  {
    id: COMPATIBLE,
    name: 'Another address (Ollama, vLLM, …)',
    keyHint: 'Leave it empty if it needs none',
    example: 'qwen3:8b',
  },
  // These run inside this browser; they are put there in Settings, On this device.
  { id: 'wllama', name: 'This device, on the processor', keyHint: 'Needs none', example: 'qwen3-0.6b' },
  {
    id: 'webllm',
    name: 'This device, on the graphics processor',
    keyHint: 'Needs none',
    example: 'web-qwen3-4b',
  },
  { id: 'browser', name: 'The browser’s own model', keyHint: 'Needs none', example: 'own' },
];

/** What is wrong with the settings, by field; nothing when they can be saved. */
export function settingsProblems(settings: ModelSettings): Partial<Record<keyof ModelSettings, string>> {
  const problems: Partial<Record<keyof ModelSettings, string>> = {};
  if (settings.provider === '') problems.provider = 'Choose who runs the model.';
  if (settings.provider === COMPATIBLE && !isWebAddress(settings.baseUrl))
    problems.baseUrl = 'An address such as http://localhost:11434/v1.';
  if (settings.model.trim() === '') problems.model = 'Which model?';
  if (!isCount(settings.maxTokens)) problems.maxTokens = 'A whole number, or nothing.';
  if (!isCount(settings.maxTurns)) problems.maxTurns = 'A whole number, or nothing.';
  if (settings.maxCost !== '' && !(Number(settings.maxCost) > 0))
    problems.maxCost = 'An amount in US dollars such as 0.50, or nothing.';
  return problems;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isCount(text: string): boolean {
  return text === '' || /^[1-9]\d{0,8}$/.test(text);
}

export async function readSettings(page: Page): Promise<{ settings: ModelSettings; hasKey: boolean }> {
  const prefix = `users/${await findUid(page)}/ai`;
  const { entries } = await page.gsv.call('sys.config.get', { key: prefix });
  const values = new Map(entries.map((entry) => [entry.key, entry.value]));
  const settings = { ...noSettings };
  for (const name of Object.keys(keys) as (keyof ModelSettings)[])
    settings[name] = values.get(`${prefix}/${keys[name]}`) ?? '';
  return { settings, hasKey: (values.get(`${prefix}/api_key`) ?? '') !== '' };
}

/** Writes what differs from `before`, and the key when one was typed. Rejects with the kernel's words. */
export async function saveSettings(
  page: Page,
  before: ModelSettings,
  next: ModelSettings,
  apiKey: string,
): Promise<void> {
  const prefix = `users/${await findUid(page)}/ai`;
  for (const name of Object.keys(keys) as (keyof ModelSettings)[]) {
    const value = next[name].trim();
    if (value !== before[name])
      await page.gsv.call('sys.config.set', { key: `${prefix}/${keys[name]}`, value });
  }
  if (apiKey !== '') await page.gsv.call('sys.config.set', { key: `${prefix}/api_key`, value: apiKey });
}
