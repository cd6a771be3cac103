import { afterEach, describe, expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { drop, fail, hold, malformed, type Reply, text, tool, tools } from './model-replies.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts';

type Chunk = {
  choices: {
    delta: {
      content?: string;
      reasoning_content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details: { cached_tokens: number };
  };
};

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(replies: Reply[] = [], options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  server.enqueue(...replies);
  return server;
}

function ask(
  server: ModelServer,
  init: { signal?: AbortSignal; stream?: boolean; key?: string } = {},
): Promise<Response> {
  const body = {
    model: 'scripted',
    messages: [{ role: 'user', content: 'hi' }],
    stream: init.stream ?? true,
    stream_options: { include_usage: true },
  };
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(init.key ? { authorization: `Bearer ${init.key}` } : {}),
    },
    body: JSON.stringify(body),
    ...(init.signal ? { signal: init.signal } : {}),
  });
}

async function chunksOf(response: Response): Promise<Chunk[]> {
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '');
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)) as Chunk);
}

describe('messages', () => {
  test('[W40] a text streams in pieces of the scripted size, with thinking first and usage last', async () => {
    const reply = text('Hello 👋 world', {
      chunk: 4,
      thinking: 'hmm, well',
      usage: { input: 7, output: 3, cached: 2 },
    });
    const chunks = await chunksOf(await ask(await start([reply])));
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta);
    expect(deltas.map((delta) => delta?.reasoning_content ?? '').join('')).toBe('hmm, well');
    expect(deltas.filter((delta) => delta?.content).map((delta) => delta?.content)).toEqual([
      'Hell',
      'o 👋 ',
      'worl',
      'd',
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: 7,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 2 },
    });
  });

  test('[W40] several tool calls come in one message, their arguments in fragments', async () => {
    const reply = tools(
      [
        { name: 'Read', args: { path: '/a', target: 'gsv' } },
        { name: 'Shell', args: '{"input":' },
      ],
      { chunk: 5 },
    );
    const chunks = await chunksOf(await ask(await start([reply])));
    const parts = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    const joined = (index: number): string =>
      parts
        .filter((part) => part.index === index)
        .map((part) => part.function.arguments)
        .join('');
    expect(parts.filter((part) => part.id).map((part) => part.function.name)).toEqual(['Read', 'Shell']);
    expect(parts.length).toBeGreaterThan(8);
    expect(JSON.parse(joined(0))).toEqual({ path: '/a', target: 'gsv' });
    expect(joined(1)).toBe('{"input":');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('[W40] without streaming the message comes whole', async () => {
    const response = await ask(await start([tool('Read', { path: '/a' })]), { stream: false });
    const { choices } = (await response.json()) as { choices: { message: { tool_calls: unknown[] } }[] };
    expect(choices[0]?.message.tool_calls).toEqual([
      { id: 'call_0_0', type: 'function', function: { name: 'Read', arguments: '{"path":"/a"}' } },
    ]);
  });

  test('[W40] queued replies come first, then the responder, which sees the request', async () => {
    const server = await start([text('queued')]);
    server.respond((request, index) => text(`${index}: ${request.body.messages.length} message`));
    expect(await (await ask(server)).text()).toContain('queued');
    expect(await (await ask(server)).text()).toContain('1: 1 message');
    expect(server.requests.map((request) => request.body.model)).toEqual(['scripted', 'scripted']);
  });

  test('[W40] a request that nothing was scripted for fails', async () => {
    const response = await ask(await start());
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('no reply scripted for request 0');
  });
});

describe('gates', () => {
  test('[W41] a gate holds back every event until the test steps it', async () => {
    const gate = new Gate();
    const server = await start([text('abcdef', { chunk: 2, gate })]);
    gate.step(2);
    const reader = (await ask(server)).body?.pipeThrough(new TextDecoderStream()).getReader();
    await gate.reached();
    let seen = '';
    while (!seen.includes('"ab"')) seen += (await reader?.read())?.value ?? '';
    expect(seen).not.toContain('"cd"');
    gate.open();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) seen += part.value;
    expect(seen).toContain('"ef"');
    expect(await server.requests[0]?.settled).toBe('answered');
  });

  test('[W41] a held request gets its answer when it is released', async () => {
    const gate = new Gate();
    const server = await start([hold(gate, text('at last'))]);
    const asked = ask(server);
    await gate.reached();
    expect(server.requests).toHaveLength(1);
    gate.open();
    expect(await (await asked).text()).toContain('at last');
  });

  test('[W41] a caller that goes away is seen, and takes no turn at the gate', async () => {
    const gate = new Gate();
    const server = await start([hold(gate, text('never')), text('next', { gate })]);
    const control = new AbortController();
    const asked = ask(server, { signal: control.signal }).catch((error: Error) => error.name);
    const request = await server.request(0);
    await gate.reached();
    control.abort();
    expect(await asked).toBe('AbortError');
    expect(await request.settled).toBe('aborted');
    gate.step(20);
    expect(await (await ask(server)).text()).toContain('next');
  });
});

describe('failures', () => {
  test('[W42] a scripted failure has its status, headers and body', async () => {
    const server = await start([
      fail(429, { headers: { 'retry-after': '7' }, body: { error: { message: 'slow down' } } }),
    ]);
    const response = await ask(server);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await response.json()).toEqual({ error: { message: 'slow down' } });
  });

  test('[W42] a dropped stream begins and then breaks', async () => {
    const server = await start([drop(text('abcdef', { chunk: 3 }), 2)]);
    const response = await ask(server);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toContain('assistant');
    const rest = async (): Promise<void> => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
    };
    await expect(rest()).rejects.toThrow();
    expect(await server.requests[0]?.settled).toBe('dropped');
  });

  test('[W42] a malformed stream carries an event that is not JSON', async () => {
    const lines = (await (await ask(await start([malformed()]))).text()).trim().split('\n\n');
    expect(() => JSON.parse((lines.at(-1) ?? '').slice('data: '.length))).toThrow(SyntaxError);
    expect(lines).toHaveLength(3);
  });
});

describe('who may ask', () => {
  test('[W43] a key is asked for when there is one', async () => {
    const server = await start([text('ok')], { apiKey: 'sk-test' });
    expect((await ask(server)).status).toBe(401);
    expect((await fetch(`${server.url}/models`)).status).toBe(401);
    expect((await ask(server, { key: 'sk-test' })).status).toBe(200);
    expect(server.requests).toHaveLength(1);
  });

  test('[W43] models are listed', async () => {
    const server = await start([], { models: ['small', 'large'] });
    const { data } = (await (await fetch(`${server.url}/models`)).json()) as { data: { id: string }[] };
    expect(data.map((model) => model.id)).toEqual(['small', 'large']);
    expect(server.others).toEqual(['GET /v1/models']);
  });

  test('[W43] CORS is granted to every header, or to nobody', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { 'access-control-request-headers': 'authorization,x-any' },
    };
    const open = await fetch(`${(await start()).url}/chat/completions`, preflight);
    expect(open.headers.get('access-control-allow-origin')).toBe('*');
    expect(open.headers.get('access-control-allow-headers')).toBe('authorization,x-any');
    const server = await start([text('ok')], { cors: false });
    const shut = await fetch(`${server.url}/chat/completions`, preflight);
    expect([shut.status, shut.headers.get('access-control-allow-origin')]).toEqual([405, null]);
    expect((await ask(server)).headers.get('access-control-allow-origin')).toBeNull();
  });
});
