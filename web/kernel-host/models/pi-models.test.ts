import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ModelRequest } from '../../../shared/kernel/ports/models.ts';
import { PiModels } from './pi-models.ts';
import { RelayFetch } from './relay-fetch.ts';

type Asked = { url: string; headers: IncomingHttpHeaders; body: string };

const events = (list: { event?: string; data: unknown }[]): string =>
  list
    .map(({ event, data }) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    .join('');
const typed = (...list: { type: string }[]): string =>
  events(list.map((data) => ({ event: data.type, data })));

/** What each provider streams for the text "pong", as its documentation gives it. */
const streams: Record<string, string> = {
  '/v1/messages': typed(
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'x',
        usage: { input_tokens: 7, output_tokens: 0 },
      },
    } as never,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'pong' } } as never,
    { type: 'content_block_stop', index: 0 } as never,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as never,
    { type: 'message_stop' },
  ),
  '/models/x:streamGenerateContent': events([
    {
      data: {
        candidates: [{ content: { role: 'model', parts: [{ text: 'pong' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
      },
    },
  ]),
  '/responses': typed(
    { type: 'response.created', response: { id: 'r' } } as never,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'i', role: 'assistant', content: [] },
    } as never,
    {
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      item_id: 'i',
      part: { type: 'output_text', text: '' },
    } as never,
    {
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'i',
      delta: 'pong',
    } as never,
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'pong' }] },
    } as never,
    {
      type: 'response.completed',
      response: {
        id: 'r',
        status: 'completed',
        usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
      },
    } as never,
  ),
  '/chat/completions': `${events([
    {
      data: {
        id: 'c',
        choices: [{ index: 0, delta: { role: 'assistant', content: 'pong' }, finish_reason: null }],
      },
    },
    {
      data: {
        id: 'c',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      },
    },
  ])}data: [DONE]\n\n`,
};

let server: Server;
let base: string;
let status = 200;
let refusal = '';
const asked: Asked[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push({ url: request.url ?? '', headers: request.headers, body });
      const [, stream = ''] = Object.entries(streams).find(([path]) => request.url?.includes(path)) ?? [];
      if (status === 200) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
      else response.writeHead(status, { 'content-type': 'application/json' }).end(refusal);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  status = 200;
  asked.length = 0;
});

/** Answers as providers do when they refuse; Google tells the status in the body alone. */
function refuse(code: number, message: string): void {
  status = code;
  refusal = JSON.stringify({ error: { code, message } });
}

const models = new PiModels(
  new RelayFetch({
    fetch: globalThis.fetch,
    origin: 'http://page.test',
    token: () => null,
    withheld: () => false,
  }),
);

function request(provider: string, signal = new AbortController().signal): ModelRequest {
  return {
    choice: { provider, model: 'x', apiKey: 'secret-key', baseUrl: base },
    system: 'Answer briefly.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'ping' }], timestamp: 1 }],
    tools: [
      {
        name: 'Read',
        description: 'Read a file.',
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
    maxTokens: 100,
    affinity: 'pid',
    signal,
  };
}

const wires = [
  { provider: 'anthropic', path: '/v1/messages', header: 'x-api-key' },
  { provider: 'google', path: ':streamGenerateContent', header: 'x-goog-api-key' },
  { provider: 'openai', path: '/responses', header: 'authorization' },
  { provider: 'openrouter', path: '/chat/completions', header: 'authorization' },
  { provider: 'openai-compatible', path: '/chat/completions', header: 'authorization' },
];

test.each(wires)(
  '[A83] $provider streams a message over its own wire',
  async ({ provider, path, header }) => {
    const deltas: string[] = [];
    const outcome = await models.generate(request(provider), (delta) => {
      if (delta.type === 'text_delta') deltas.push(delta.delta);
    });
    expect(outcome).toMatchObject({
      kind: 'message',
      content: [{ type: 'text', text: 'pong' }],
      stop: 'stop',
    });
    expect(outcome.usage).toMatchObject({ input: 7, output: 2 });
    expect(deltas.join('')).toBe('pong');
    const [call] = asked;
    expect(call?.url).toContain(path);
    expect(call?.headers[header]).toContain('secret-key');
    expect(call?.url).not.toContain('secret-key');
    expect(call?.body).toContain('Read a file.');
  },
);

test.each(wires)(
  '[A84] $provider refusing the key is said in plain words and not tried again',
  async ({ provider }) => {
    refuse(401, 'no such key');
    const outcome = await models.generate(request(provider), () => {});
    expect(outcome).toMatchObject({
      kind: 'failed',
      retryable: false,
      error: expect.stringContaining('refused the key (401)'),
    });
    expect(asked).toHaveLength(1);
  },
);

test.each(wires)('[A85] $provider failing with 503 may be tried again', async ({ provider }) => {
  refuse(503, 'overloaded');
  const outcome = await models.generate(request(provider), () => {});
  expect(outcome).toMatchObject({ kind: 'failed', retryable: true });
  expect(asked).toHaveLength(1);
});

test('[A84] a key that Google calls not valid is a refused key', async () => {
  refuse(400, 'API key not valid. Please pass a valid API key.');
  const outcome = await models.generate(request('google'), () => {});
  expect(outcome).toMatchObject({
    kind: 'failed',
    retryable: false,
    error: expect.stringContaining('refused the key'),
  });
});
