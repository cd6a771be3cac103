import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ASK_TITLE } from '../../shared/kernel/agent/title.ts';
import { type Deferred, deferred } from '../../shared/std/deferred.ts';
import type { Gate } from './gate.ts';
import {
  fail,
  type MessageReply,
  type Reply,
  type ReplyFrame,
  streamEvents,
  wholeMessage,
} from './model-replies.ts';

export type ChatBody = {
  model: string;
  messages: { role: string; content?: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: unknown } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
};

/** One call of `/v1/chat/completions`. */
export type Recorded = {
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatBody;
  /** `aborted`: the caller went away before the answer was whole. */
  readonly settled: Promise<'answered' | 'aborted' | 'dropped'>;
};
export type Responder = (request: Recorded, index: number) => Reply | Promise<Reply>;

export type ModelServerOptions = {
  /** Whether browsers may read the answers. Default true; without it the room's relay is the only way. */
  cors?: boolean;
  /** When given, a request without this bearer token is refused with 401. */
  apiKey?: string;
  models?: string[];
  /** Whether the script is asked for titles, too. */
  titles?: boolean;
};

export type ModelServer = {
  /** The base address as a provider setting wants it, with `/v1`. */
  readonly url: string;
  readonly requests: Recorded[];
  /** Everything else that was asked, as `GET /v1/models`. */
  readonly others: string[];
  /** Replies for the next requests, first come first served; asked before `respond`. */
  enqueue(...replies: Reply[]): void;
  /** Answers when no reply is queued. Without it such a request fails with 400. */
  respond(responder: Responder): void;
  /** The request with this index, counted from 0; waits until it has come. */
  request(index: number): Promise<Recorded>;
  /** Cuts every connection. */
  close(): Promise<void>;
};

type Ending = 'answered' | 'aborted' | 'dropped';

/** A real HTTP server that speaks as OpenAI's chat completions do, and says what the test scripted. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const script = new Script();
  const others: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, script, others, options).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: script.requests,
    others,
    enqueue: (...replies) => script.queue.push(...replies),
    respond: (responder) => {
      script.responder = responder;
    },
    request: (index) => script.request(index),
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

class Script {
  readonly requests: Recorded[] = [];
  readonly queue: Reply[] = [];
  responder: Responder = (_, index) =>
    fail(400, { body: { error: { message: `no reply scripted for request ${index}` } } });
  readonly #awaited = new Map<number, Deferred<Recorded>>();

  record(request: Recorded): number {
    const index = this.requests.push(request) - 1;
    this.#awaited.get(index)?.resolve(request);
    return index;
  }

  async next(request: Recorded, index: number): Promise<Reply> {
    return this.queue.shift() ?? this.responder(request, index);
  }

  async request(index: number): Promise<Recorded> {
    const present = this.requests[index];
    if (present) return present;
    const awaited = this.#awaited.get(index) ?? deferred<Recorded>();
    this.#awaited.set(index, awaited);
    return awaited.promise;
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  others: string[],
  options: ModelServerOptions,
): Promise<void> {
  if (options.cors ?? true) allowOrigin(request, response);
  const asked = `${request.method} ${request.url}`;
  if (asked === 'POST /v1/chat/completions') return answerChat(request, response, script, options);
  others.push(asked);
  if (request.method === 'OPTIONS') response.writeHead((options.cors ?? true) ? 204 : 405).end();
  else if (!isAllowed(request, options)) refuse(response);
  else if (asked === 'GET /v1/models') sendJson(response, 200, modelList(options.models ?? ['scripted']));
  else sendJson(response, 404, { error: { message: `no such path: ${request.url}` } });
}

async function answerChat(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  options: ModelServerOptions,
): Promise<void> {
  const body = await readJson(request);
  if (!isAllowed(request, options)) return refuse(response);
  if (!isChat(body))
    return sendJson(response, 400, { error: { message: 'model and messages are required' } });
  // Asked for by itself, some time after a run: a script would take it for the next turn.
  if (!options.titles && body.messages[0]?.content === ASK_TITLE)
    return sendJson(response, 400, { error: { message: 'no title' } });
  const ending = deferred<Ending>();
  response.once('close', () => ending.resolve(response.writableFinished ? 'answered' : 'aborted'));
  const recorded = { headers: request.headers, body, settled: ending.promise };
  const index = script.record(recorded);
  const frame = {
    id: `chatcmpl-${index}`,
    model: body.model,
    sequence: index,
    includeUsage: body.stream_options?.include_usage === true,
  };
  await perform(
    await script.next(recorded, index),
    new Exchange(response, frame, body.stream === true, ending),
  );
}

/** One answer being given. Ends early when the caller goes away. */
class Exchange {
  readonly response: ServerResponse;
  readonly frame: ReplyFrame;
  readonly stream: boolean;
  readonly #ending: Deferred<Ending>;

  constructor(response: ServerResponse, frame: ReplyFrame, stream: boolean, ending: Deferred<Ending>) {
    this.response = response;
    this.frame = frame;
    this.stream = stream;
    this.#ending = ending;
  }

  /** Waits for the gate, or for the caller to go away. */
  async wait(gate: Gate | undefined): Promise<void> {
    await gate?.pass(this.#ending.promise);
  }

  get gone(): boolean {
    return this.response.destroyed;
  }

  cut(): void {
    this.#ending.resolve('dropped');
    this.response.destroy();
  }
}

async function perform(reply: Reply, exchange: Exchange): Promise<void> {
  if (reply.kind === 'hold') {
    await exchange.wait(reply.gate);
    return exchange.gone ? undefined : perform(reply.then, exchange);
  }
  if (reply.kind === 'fail') return sendJson(exchange.response, reply.status, reply.body, reply.headers);
  if (reply.kind === 'message') return sendMessage(reply, exchange);
  await sendEvents(reply.message, exchange, reply.events);
  if (exchange.gone) return;
  if (reply.kind === 'malformed') exchange.response.end('data: {"choices": [{"delta": nonsense\n\n');
  else exchange.cut();
}

async function sendMessage(reply: MessageReply, exchange: Exchange): Promise<void> {
  if (!exchange.stream) {
    await exchange.wait(reply.pace.gate);
    return exchange.gone ? undefined : sendJson(exchange.response, 200, wholeMessage(reply, exchange.frame));
  }
  await sendEvents(reply, exchange, Number.POSITIVE_INFINITY);
  if (!exchange.gone) exchange.response.end('data: [DONE]\n\n');
}

async function sendEvents(reply: MessageReply, exchange: Exchange, most: number): Promise<void> {
  exchange.response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let sent = 0;
  for (const event of streamEvents(reply, exchange.frame)) {
    if (sent >= most) return;
    await exchange.wait(reply.pace.gate);
    if (exchange.gone) return;
    await flushed(exchange.response, `data: ${JSON.stringify(event)}\n\n`);
    sent += 1;
  }
}

/** Resolves when the text has left this program, so that what was sent before a cut does arrive. */
function flushed(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => response.write(chunk, () => resolve()));
}

function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? '*',
  );
  if (request.headers['access-control-request-private-network']) {
    response.setHeader('access-control-allow-private-network', 'true');
  }
}

function isAllowed(request: IncomingMessage, { apiKey }: ModelServerOptions): boolean {
  return apiKey === undefined || request.headers.authorization === `Bearer ${apiKey}`;
}

function refuse(response: ServerResponse): void {
  sendJson(response, 401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } });
}

function modelList(ids: string[]) {
  return { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'tests' })) };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(payload);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

function isChat(body: unknown): body is ChatBody {
  const { model, messages } = (body ?? {}) as Partial<ChatBody>;
  return typeof model === 'string' && Array.isArray(messages);
}
