import { expect, test } from 'vitest';
import { explainFailure } from './provider-error.ts';

const choice = {
  provider: 'openai-compatible',
  model: 'm',
  baseUrl: 'http://nas.test:11434/v1',
  apiKey: 'sk',
};

test('[U339] what is no answer of a model is said so, and where to look; one that broke off may be asked for again', () => {
  const page = explainFailure('Unexpected token \'<\', "<!doctype "... is not valid JSON', choice, false);
  expect(page.retryable).toBe(false);
  expect(page.error).toMatch(/^nas\.test:11434 sent what is no answer\. .*in Settings/);
  expect(page.error).not.toContain('token');
  expect(explainFailure('Unexpected end of JSON input', choice, false)).toMatchObject({ retryable: true });
});

test('[U346] a provider that refuses a key is told from one that was shown none', () => {
  const said = (apiKey: string) => explainFailure('401 status code', { ...choice, apiKey }, false).error;
  expect(said('sk')).toBe('nas.test:11434 refused the key (401). Check it in Settings.');
  expect(said('')).toBe(
    'nas.test:11434 asks for a key, and this browser has none (401). Check it in Settings.',
  );
});
