import type { AssistantBlock, ModelMessage, ModelRequest } from '../ports/models.ts';
import { answerRules } from './call-schema.ts';
import type { EngineMessage } from './engine.ts';

const NO_TOOLS = 'You have no tools here: you can only talk. Say so when you are asked to act.';

/** A request as chat templates take it: a system text, then user and assistant by turns. */
export function toEngineMessages(
  { system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>,
  callsTools: boolean,
): EngineMessage[] {
  const rules = callsTools && tools.length > 0 ? answerRules(tools) : NO_TOOLS;
  const head: EngineMessage = { role: 'system', content: [system, rules].filter(Boolean).join('\n\n') };
  const asJson = callsTools && tools.length > 0;
  return [head, ...joined(messages.map((message) => toEngineMessage(message, asJson)))];
}

function toEngineMessage(message: ModelMessage, asJson: boolean): EngineMessage {
  if (message.role === 'assistant')
    return {
      role: 'assistant',
      content: message.content
        .map((block) => said(block, asJson))
        .filter(Boolean)
        .join('\n'),
    };
  const text = message.content
    .map((block) => (block.type === 'text' ? block.text : '[an image, which this model cannot see]'))
    .join('\n');
  if (message.role === 'user') return { role: 'user', content: text };
  return {
    role: 'user',
    content: `[${message.isError ? 'Error' : 'Result'} of ${message.toolName}]: ${text}`,
  };
}

/** What it said before stands there in the form that it is asked for, so that it goes on in it. */
function said(block: AssistantBlock, asJson: boolean): string {
  if (block.type === 'thinking') return '';
  if (block.type === 'text') return asJson ? JSON.stringify({ say: block.text }) : block.text;
  return JSON.stringify({ tool: block.name, arguments: block.arguments });
}

/** Many templates refuse two messages of one role in a row. */
function joined(messages: EngineMessage[]): EngineMessage[] {
  const out: EngineMessage[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last?.role === message.role)
      out[out.length - 1] = { ...last, content: `${last.content}\n${message.content}` };
    else if (message.content !== '') out.push(message);
  }
  return out;
}
