import type { ModelChoice } from '../../../shared/kernel/ports/models.ts';

export type ProviderProblem = { error: string; retryable: boolean; unreachable?: true };

const STATUS = /\b([45]\d\d)\b/;
const UNREACHED = /failed to fetch|fetch failed|network ?error|connection error|load failed|err_/i;
/** How a provider words a bad key that it answers with 400. */
const BAD_KEY = /api.?key.{0,20}(not valid|invalid|missing)/i;
/** Said in a sealed GSV. */
const REFUSES_BROWSERS =
  'If it is, it refuses browsers: allow in Settings, Model, that the server passes calls on, or use another provider or a model on this device.';
/** How a parser words what it cannot read: a page, or an answer that was cut up on its way. */
const NO_ANSWER = /\bJSON\b|unexpected token/i;
const ASK_ADDRESS = 'Try again; if it says so each time, check its address in Settings: many end in /v1.';
const DROPPED = /terminated|premature|stream|closed|reset|aborted by|socket|unexpected end/i;

/**
 * What a person is told of a provider's failure, and whether asking again may help. `withheld`: a provider that refuses
 * browsers, which looks as one that is not there, could be reached by way of the server, but must not.
 */
export function explainFailure(
  message: string,
  choice: Pick<ModelChoice, 'provider' | 'model' | 'baseUrl' | 'apiKey'>,
  withheld: boolean,
): ProviderProblem {
  const status = Number(STATUS.exec(message)?.[1] ?? 0);
  const where =
    choice.baseUrl && URL.canParse(choice.baseUrl) ? new URL(choice.baseUrl).host : choice.provider;
  const detail = message
    .replaceAll(/\s+/g, ' ')
    .replace(/^\d{3} /, '')
    .slice(0, 300);
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(message))) {
    const said = choice.apiKey === '' ? 'asks for a key, and this browser has none' : 'refused the key';
    return { error: `${where} ${said} (${status}). Check it in Settings.`, retryable: false };
  }
  if (status === 404)
    return { error: `${where} does not know the model ${choice.model} (404).`, retryable: false };
  if (status === 429) return { error: `${where} is limiting requests (429). ${detail}`, retryable: true };
  if (status === 402) return { error: `${where} asks for payment (402).`, retryable: false };
  if (status >= 500 || status === 408)
    return { error: `${where} failed (${status}). ${detail}`, retryable: true };
  if (status >= 400)
    return { error: `${where} refused the request (${status}). ${detail}`, retryable: false };
  if (UNREACHED.test(message)) {
    return {
      error: `${where} cannot be reached. Check the address, and that it is running.${withheld ? ` ${REFUSES_BROWSERS}` : ''}`,
      retryable: true,
      unreachable: true,
    };
  }
  if (DROPPED.test(message)) return { error: `The answer of ${where} broke off. ${detail}`, retryable: true };
  if (NO_ANSWER.test(message))
    return { error: `${where} sent what is no answer. ${ASK_ADDRESS}`, retryable: false };
  return { error: `${where}: ${detail || 'unknown failure'}`, retryable: false };
}
