import type { Context, Message, Model } from '@earendil-works/pi-ai';
import { streamSimpleOpenAICompletions } from '@earendil-works/pi-ai/openai-completions';
import { expose } from 'comlink';
import type { PiOpening } from './api.ts';

/** A SharedWorker that talks to the scripted provider through pi-ai, with nothing around it: no disk, no kernel. */
const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null };

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const NO_USAGE = { ...FREE, totalTokens: 0, cost: { ...FREE, total: 0 } };
const TOOL_RESULT = '     1\talpha\n     2\tbeta\n';

class PiAlone {
  #model: Model<'openai-completions'> | null = null;
  #context: Context = { systemPrompt: '', messages: [] };

  open(opening: PiOpening): void {
    const { baseUrl, model: id, system, tools, history } = opening;
    this.#model = modelAt(baseUrl, id);
    this.#context = {
      systemPrompt: system,
      tools: tools as unknown as NonNullable<Context['tools']>,
      messages: history.map((text, at) => (at % 2 === 0 ? userMessage(text) : assistantMessage(text, id))),
    };
  }

  /** One user message to its final answer. */
  async turn(text: string): Promise<void> {
    const { messages } = this.#context;
    messages.push(userMessage(text));
    for (;;) {
      const answer = await this.#ask();
      messages.push(answer);
      const [call] = answer.content.filter((block) => block.type === 'toolCall');
      if (!call) return;
      const content = [{ type: 'text' as const, text: TOOL_RESULT }];
      messages.push({
        role: 'toolResult',
        toolCallId: call.id,
        toolName: call.name,
        content,
        isError: false,
        timestamp: Date.now(),
      });
    }
  }

  async #ask() {
    if (!this.#model) throw new Error('Not opened');
    const stream = streamSimpleOpenAICompletions(this.#model, this.#context, {
      apiKey: 'none',
      maxTokens: 8192,
    });
    for await (const _event of stream);
    const answer = await stream.result();
    if (answer.stopReason === 'error') throw new Error(answer.errorMessage);
    return answer;
  }
}

function modelAt(baseUrl: string, id: string): Model<'openai-completions'> {
  return {
    ...{ id, name: id, baseUrl, api: 'openai-completions', provider: 'openai-compatible' },
    ...{
      reasoning: false,
      input: ['text'],
      cost: { ...FREE, total: 0 } as never,
      contextWindow: 256_000,
      maxTokens: 8192,
    },
    compat: { supportsStore: false, supportsDeveloperRole: false, maxTokensField: 'max_tokens' },
  };
}

function userMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: Date.now() };
}

function assistantMessage(text: string, model: string): Message {
  return {
    ...{ role: 'assistant', api: 'openai-completions', provider: 'openai-compatible', model },
    ...{
      content: [{ type: 'text', text }],
      usage: NO_USAGE,
      stopReason: 'stop' as const,
      timestamp: Date.now(),
    },
  } as Message;
}

scope.onconnect = ({ ports: [port] }) => {
  const pi = new PiAlone();
  if (port)
    expose({ open: (opening: PiOpening) => pi.open(opening), turn: (text: string) => pi.turn(text) }, port);
};
