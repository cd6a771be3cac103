import type { Gate } from './gate.ts';

/** Tokens, as the server reports them. `cached` is the part of `input` that was read from a cache. */
export type ScriptedUsage = { input: number; output: number; cached?: number };
/** `id` defaults to `call_<n>`; `args` given as text is sent as it is, valid JSON or not. */
export type ScriptedCall = { name: string; args: Record<string, unknown> | string; id?: string };

/** How a message is sent. Sizes are characters; the gate is passed before every event of the stream. */
export type Pace = { chunk?: number; gate?: Gate; usage?: ScriptedUsage };

export type MessageReply = {
  kind: 'message';
  thinking: string;
  text: string;
  calls: ScriptedCall[];
  finish: 'stop' | 'length' | 'tool_calls';
  pace: Pace;
};
export type Reply =
  | MessageReply
  /** Answers with nothing at all, not even headers, until the gate is passed. */
  | { kind: 'hold'; gate: Gate; then: Reply }
  | { kind: 'fail'; status: number; body: unknown; headers: Record<string, string> }
  /** Sends the beginning of a message and then cuts the socket. */
  | { kind: 'drop'; message: MessageReply; events: number }
  /** Sends the beginning of a message and then an event that is not JSON. */
  | { kind: 'malformed'; message: MessageReply; events: number };

const DEFAULT_CHUNK = 12;

export function text(
  content: string,
  pace: Pace & { thinking?: string; finish?: 'stop' | 'length' } = {},
): MessageReply {
  const { thinking = '', finish = 'stop', ...rest } = pace;
  return { kind: 'message', thinking, text: content, calls: [], finish, pace: rest };
}

export function tools(calls: ScriptedCall[], pace: Pace & { text?: string } = {}): MessageReply {
  const { text: spoken = '', ...rest } = pace;
  return { kind: 'message', thinking: '', text: spoken, calls, finish: 'tool_calls', pace: rest };
}

export function tool(name: string, args: ScriptedCall['args'], pace: Pace = {}): MessageReply {
  return tools([{ name, args }], pace);
}

export function hold(gate: Gate, then: Reply): Reply {
  return { kind: 'hold', gate, then };
}

/** `body` defaults to an error as OpenAI words it. */
export function fail(
  status: number,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Reply {
  const { body = { error: { message: `scripted failure ${status}`, type: 'scripted' } }, headers = {} } =
    options;
  return { kind: 'fail', status, body, headers };
}

/** Cuts the socket after `events` events of the message (its first event carries no text). */
export function drop(message: MessageReply = text('cut off in the middle'), events = 2): Reply {
  return { kind: 'drop', message, events };
}

export function malformed(message: MessageReply = text('and then nonsense'), events = 2): Reply {
  return { kind: 'malformed', message, events };
}

/** What a message is made of on the wire. */
export type ReplyFrame = { id: string; model: string; sequence: number; includeUsage: boolean };

/** The `data:` payloads of a streamed message, in order, without the closing `[DONE]`. */
export function* streamEvents(reply: MessageReply, frame: ReplyFrame): Generator<unknown> {
  const size = reply.pace.chunk ?? DEFAULT_CHUNK;
  const event = (delta: object, finish: string | null = null) => ({
    ...head(frame, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  yield event({ role: 'assistant', content: '' });
  for (const part of slices(reply.thinking, size)) yield event({ reasoning_content: part });
  for (const part of slices(reply.text, size)) yield event({ content: part });
  for (const [index, call] of reply.calls.entries()) {
    yield event({ tool_calls: [{ index, ...wireCall(call, index, frame, '') }] });
    for (const part of slices(argumentsOf(call), size)) {
      yield event({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  yield event({}, reply.finish);
  if (frame.includeUsage)
    yield { ...head(frame, 'chat.completion.chunk'), choices: [], usage: usageOf(reply) };
}

/** The body of an answer that is not streamed. */
export function wholeMessage(reply: MessageReply, frame: ReplyFrame): unknown {
  const calls = reply.calls.map((call, index) => wireCall(call, index, frame, argumentsOf(call)));
  const message = {
    role: 'assistant',
    content: reply.text,
    ...(reply.thinking ? { reasoning_content: reply.thinking } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...head(frame, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: reply.finish }],
    usage: usageOf(reply),
  };
}

function head(frame: ReplyFrame, object: string) {
  return { id: frame.id, object, created: 0, model: frame.model };
}

function wireCall(call: ScriptedCall, index: number, frame: ReplyFrame, json: string) {
  const id = call.id ?? `call_${frame.sequence}_${index}`;
  return { id, type: 'function', function: { name: call.name, arguments: json } };
}

function argumentsOf(call: ScriptedCall): string {
  return typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
}

function usageOf(reply: MessageReply) {
  const { input, output, cached = 0 } = reply.pace.usage ?? { input: 100, output: 10 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** Splits by code points, so that no fragment cuts a character that JSON could not carry. */
function slices(content: string, size: number): string[] {
  const points = Array.from(content);
  const count = Math.ceil(points.length / size);
  return Array.from({ length: count }, (_, at) => points.slice(at * size, (at + 1) * size).join(''));
}
