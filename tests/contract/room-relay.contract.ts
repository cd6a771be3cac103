import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaimedRoom, tokens } from '../support/claimed-room.ts';
import { ALICE, BOB } from '../support/system-doc.ts';

type Seen = { url: string; method: string; headers: IncomingMessage['headers']; body: string };

export function relayRules(room: () => ClaimedRoom): void {
  describe('the provider relay', () => {
    const seen: Seen[] = [];
    const held: ServerResponse[] = [];
    let server: Server;
    let provider: string;

    beforeAll(async () => {
      server = createServer((request, response) => void answer(request, response, seen, held));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await room().change((tables) =>
        tables.config.put(`users/${ALICE}/ai/base_url`, { value: `${provider}/v1` }),
      );
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    const relay = (headers: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
      fetch(`${room().address.url}/relay`, {
        method: 'POST',
        body: '{"model":"m"}',
        ...init,
        headers: {
          authorization: `Bearer ${tokens.alice}`,
          'x-gsv-url': `${provider}/v1/chat`,
          'x-gsv-method': 'POST',
          ...headers,
        },
      });
    const encoded = (headers: Record<string, unknown>): string =>
      Buffer.from(JSON.stringify(headers)).toString('base64');

    test('[R38] the request reaches the provider with its own headers alone, the answer comes back with its status', async () => {
      const own = {
        authorization: 'Bearer sk-1',
        'content-type': 'application/json',
        cookie: 'a=b',
        host: 'evil',
        connection: 'x',
        'x-own': 'ü?'.slice(1),
      };
      const response = await relay({ 'x-gsv-headers': encoded(own), cookie: 'session=1' });
      expect([response.status, response.headers.get('x-gsv-status')]).toEqual([201, '201']);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.json()).toEqual({ ok: 1 });
      const { headers, body, method, url } = seen.at(-1) as Seen;
      expect({ body, method, url }).toEqual({ body: '{"model":"m"}', method: 'POST', url: '/v1/chat' });
      expect(headers).toMatchObject({
        authorization: 'Bearer sk-1',
        'x-own': '?',
        host: new URL(provider).host,
      });
      expect(
        Object.keys(headers).filter(
          (name) => name.startsWith('x-gsv') || name === 'cookie' || name === 'origin',
        ),
      ).toEqual([]);
    });

    test('[R39] the answer streams: its first bytes arrive while the provider still holds the rest', async () => {
      const response = await relay({ 'x-gsv-url': `${provider}/v1/hold` });
      const reader = response.body?.getReader();
      const first = await reader?.read();
      expect(new TextDecoder().decode(first?.value)).toBe('data: 1\n\n');
      held.shift()?.end('data: 2\n\n');
      const second = await reader?.read();
      expect(new TextDecoder().decode(second?.value)).toBe('data: 2\n\n');
    });

    test('[R206] of an answer that breaks off the last event says so', async () => {
      const response = await relay({ 'x-gsv-url': `${provider}/v1/hold` });
      const reader = response.body?.getReader();
      await reader?.read();
      held.shift()?.destroy();
      let rest = '';
      for (let step = await reader?.read(); step && !step.done; step = await reader?.read())
        rest += new TextDecoder().decode(step.value);
      const [, event, data] = /^\n\nevent: (\w+)\ndata: (.*)\n\n$/.exec(rest) ?? [];
      expect(event).toBe('error');
      expect(JSON.parse(data ?? '')).toMatchObject({
        error: { message: expect.stringContaining('broke off') },
      });
    });

    test('[R207] a caller who goes ends what its provider is asked', async () => {
      const stop = new AbortController();
      const response = await relay({ 'x-gsv-url': `${provider}/v1/hold` }, { signal: stop.signal });
      await response.body?.getReader().read();
      const asked = held.shift() as ServerResponse;
      const isOver = (): boolean => {
        // Whether somebody still listens shows once something is written.
        asked.write('data: more\n\n');
        return asked.closed;
      };
      stop.abort();
      await expect.poll(isOver).toBe(true);
    });

    test('[R39] a failed status comes back with its words', async () => {
      const response = await relay({ 'x-gsv-url': `${provider}/v1/busy` });
      expect([
        response.status,
        response.headers.get('x-gsv-status'),
        response.headers.get('retry-after'),
      ]).toEqual([429, '429', '7']);
      expect(await response.text()).toBe('slow down');
    });

    test('[R40] without a live token of the account nothing is forwarded', async () => {
      const before = seen.length;
      for (const authorization of [
        '',
        'Bearer',
        'Bearer gsv_user_nobody',
        `Bearer ${tokens.laptop}`,
        `Basic ${tokens.alice}`,
      ]) {
        const response = await relay({ authorization });
        expect([response.status, response.headers.get('x-gsv-status')], authorization).toEqual([401, null]);
      }
      expect(seen.length).toBe(before);
    });

    test('[R41] only addresses that the account has configured are reached', async () => {
      const before = seen.length;
      const elsewhere = [
        `${provider}/v2/chat`,
        `${provider}/v1x`,
        `${provider}/v1/../admin`,
        `${provider}/v1/%2e%2e/admin`,
        `${provider}/v1/..%2fadmin`,
        `${provider.replace('127.0.0.1', 'localhost')}/v1/chat`,
        `${provider.replace('http:', 'https:')}/v1/chat`,
        `${provider.replace('//', '//user:pw@')}/v1/chat`,
        'file:///etc/passwd',
        'not an address',
        'https://api.openai.com/v1/models',
      ];
      for (const url of elsewhere) {
        const response = await relay({ 'x-gsv-url': url });
        expect([400, 403], url).toContain(response.status);
        expect(response.headers.get('x-gsv-status'), url).toBeNull();
      }
      const bob = await relay({ authorization: `Bearer ${tokens.bob}` });
      expect(bob.status).toBe(403);
      expect(seen.length).toBe(before);
    });

    test('[R41] the replica may reach what any user has configured, a user what the system has', async () => {
      expect((await relay({ authorization: `Bearer ${tokens.replica}` })).status).toBe(201);
      await room().change((tables) =>
        tables.config.put('config/ai/base_url', { value: `${provider}/shared/` }),
      );
      const bob = await relay({
        authorization: `Bearer ${tokens.bob}`,
        'x-gsv-url': `${provider}/shared/chat`,
      });
      expect(bob.status).toBe(201);
      await room().change((tables) => tables.config.put(`users/${BOB}/ai/provider`, { value: 'openai' }));
    });

    test('[R205] where a cloud tells a machine its secrets nothing is asked, though it is configured', async () => {
      const metadata = 'http://169.254.169.254/latest';
      await room().change((tables) => tables.config.put(`users/${ALICE}/ai/base_url`, { value: metadata }));
      const response = await relay({ 'x-gsv-url': `${metadata}/meta-data`, 'x-gsv-method': 'GET' });
      expect([response.status, response.headers.get('x-gsv-status')]).toEqual([403, null]);
      await room().change((tables) =>
        tables.config.put(`users/${ALICE}/ai/base_url`, { value: `${provider}/v1` }),
      );
    });

    test('[R42] redirects are not followed', async () => {
      const before = seen.length;
      const response = await relay({ 'x-gsv-url': `${provider}/v1/away` });
      expect([response.status, response.headers.get('x-gsv-status')]).toEqual([502, null]);
      expect(seen.slice(before).map(({ url }) => url)).toEqual(['/v1/away']);
    });

    test('[R43] other sites, other methods, bad headers and bodies over 32 MiB are refused', async () => {
      const statusOf = async (headers: Record<string, string>, init: RequestInit = {}) =>
        (await relay(headers, init)).status;
      expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
      expect(await statusOf({ 'x-gsv-method': 'CONNECT' })).toBe(405);
      expect(await statusOf({ 'x-gsv-headers': '###' })).toBe(400);
      expect(await statusOf({ 'x-gsv-headers': encoded({ a: 1 }) })).toBe(400);
      expect((await fetch(`${room().address.url}/relay`)).status).toBe(405);
      const declared = await relay({}, { body: new Uint8Array(33 * 1024 * 1024) }).then(
        (response) => response.status,
        () => 413,
      );
      expect(declared).toBe(413);
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  seen: Seen[],
  held: ServerResponse[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { url = '', method = '', headers } = request;
  seen.push({ url, method, headers, body: Buffer.concat(chunks).toString() });
  if (url === '/v1/hold') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    held.push(response);
  } else if (url === '/v1/away') response.writeHead(307, { location: '/elsewhere' }).end();
  else if (url === '/v1/busy') response.writeHead(429, { 'retry-after': '7' }).end('slow down');
  else response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': 'a=b' }).end('{"ok":1}');
}
