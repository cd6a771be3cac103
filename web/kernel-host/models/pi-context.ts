import type { AssistantMessage, Context, Message, Model, Tool } from '@earendil-works/pi-ai';
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  Usage,
} from '../../../shared/kernel/ports/models.ts';

type PiModel = Model<string>;

/** A request in pi-ai's terms. */
export function toPiContext(request: ModelRequest, model: PiModel): Context {
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: parameters as unknown as Tool['parameters'],
  }));
  return {
    systemPrompt: request.system,
    messages: request.messages.map((message) => toPiMessage(message, model)),
    tools,
  };
}

function toPiMessage(message: ModelMessage, model: PiModel): Message {
  if (message.role === 'user')
    return { role: 'user', content: message.content, timestamp: message.timestamp };
  if (message.role === 'toolResult') {
    const { toolCallId, toolName, content, isError, timestamp } = message;
    return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp };
  }
  return {
    role: 'assistant',
    content: message.content.map(toPiBlock),
    api: model.api,
    provider: message.provider,
    model: message.model,
    usage: NO_USAGE,
    stopReason: message.content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: message.timestamp,
  };
}

function toPiBlock(block: AssistantBlock): AssistantMessage['content'][number] {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'thinking') {
    return {
      type: 'thinking',
      thinking: block.thinking,
      ...(block.signature ? { thinkingSignature: block.signature } : {}),
    };
  }
  const { id, name, arguments: args, signature } = block;
  return {
    type: 'toolCall',
    id,
    name,
    arguments: args,
    ...(signature ? { thoughtSignature: signature } : {}),
  };
}

/** A message of pi-ai's as it is stored. Arguments that are not an object become an empty one, and the gate says so. */
export function fromPiContent(content: AssistantMessage['content']): AssistantBlock[] {
  return content.flatMap((block): AssistantBlock[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'thinking') {
      const { thinking, thinkingSignature: signature } = block;
      return thinking === '' && !signature
        ? []
        : [{ type: 'thinking', thinking, ...(signature ? { signature } : {}) }];
    }
    const { id, name, thoughtSignature: signature } = block;
    const given: unknown = block.arguments;
    const args =
      typeof given === 'object' && given !== null && !Array.isArray(given)
        ? (given as Record<string, unknown>)
        : {};
    return [{ type: 'toolCall', id, name, arguments: args, ...(signature ? { signature } : {}) }];
  });
}

export function fromPiUsage(usage: AssistantMessage['usage']): Usage | null {
  const { input, output, cacheRead, cacheWrite, cost } = usage;
  if (input + output + cacheRead + cacheWrite === 0) return null;
  return { input, output, cacheRead, cacheWrite, cost: cost.total };
}

const NO_USAGE: AssistantMessage['usage'] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
