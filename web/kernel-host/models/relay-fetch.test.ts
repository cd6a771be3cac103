import { expect, test } from 'vitest';
import { PiModels } from './pi-models.ts';
import { RelayFetch } from './relay-fetch.ts';

const PAGE = 'http://page.test';

/** A provider that refuses browsers, behind a server whose relay it answers. */
function behindServer() {
  const asked: string[] = [];
  const state: { token: string | null; withheld: boolean } = { token: 't', withheld: false };
  const relay = new RelayFetch({
    origin: PAGE,
    token: () => state.token,
    withheld: () => state.withheld,
    fetch: async (input) => {
      const url = input instanceof Request ? input.url : String(input);
      asked.push(url);
      if (!url.startsWith(PAGE)) throw new TypeError('Failed to fetch');
      return new Response('{"data":[{"id":"m"}]}', { headers: { 'x-gsv-status': '200' } });
    },
  });
  return { relay, asked, state };
}

test('[K179] what passed the relay before goes there no more once it is withheld, and the error says what can be done', async () => {
  const { relay, asked, state } = behindServer();
  const models = new PiModels(relay);
  const choice = { provider: 'openai-compatible', baseUrl: 'http://provider.test/v1', apiKey: '' };
  expect(await models.list(choice)).toEqual([{ id: 'm', name: 'm' }]);
  expect(models.relayed(choice)).toBe(true);
  Object.assign(state, { token: null, withheld: true });
  asked.length = 0;
  expect(models.relayed(choice)).toBe(false);
  await expect(models.list(choice)).rejects.toThrow(
    'provider.test cannot be reached. Check the address, and that it is running. If it is, it refuses browsers: allow in Settings, Model,',
  );
  expect(asked).toEqual(['http://provider.test/v1/models']);
});
