import type { ModelMessage, ModelRequest } from '../../shared/kernel/ports/models.ts';

/**
 * What a provider would refuse in a request: it begins with a user and ends with what is to be answered, each tool call
 * is followed at once by exactly one result, and no message is empty.
 */
export function refusals({ messages }: Pick<ModelRequest, 'messages'>): string[] {
  const found: string[] = [];
  if (messages[0]?.role !== 'user') found.push(`it begins with ${messages[0]?.role ?? 'nothing'}`);
  if (messages.at(-1)?.role === 'assistant') found.push('it ends with what the model said itself');
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'toolResult') {
      if (!open.includes(message.toolCallId))
        found.push(`${at}: a result of ${message.toolCallId}, which is not open`);
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length > 0) found.push(`${at}: no result of ${open.join(', ')}`);
    open = callsOf(message);
    if (message.content.length === 0) found.push(`${at}: ${message.role} says nothing`);
  }
  if (open.length > 0) found.push(`no result of ${open.join(', ')} at the end`);
  return found;
}

function callsOf({ role, content }: ModelMessage): string[] {
  if (role !== 'assistant') return [];
  return content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
}
