import type { Result } from '../../shared/syscalls/table.ts';

type Stored = Extract<Result<'proc.history'>, { ok: true }>['messages'];
type Block = { type: string; id?: string; text?: string };

function blocksOf({ content }: Stored[number]): Block[] {
  return Array.isArray(content) ? (content as Block[]) : ((content as { blocks: Block[] }).blocks ?? []);
}

/** Who said what, in order: `user: hi`. Tool calls are named by their tool. */
export function lines(messages: Stored): string[] {
  return messages.map((message) => {
    const said = blocksOf(message).map((block) => block.text ?? block.type);
    return `${message.role}: ${said.join(' ').trim()}`;
  });
}

/** What is wrong with a history as models must get it: each tool call is followed by exactly one result, ids increase. */
export function problems(messages: Stored): string[] {
  const found: string[] = [];
  let open: string[] = [];
  let lastId = 0;
  for (const message of messages) {
    if (message.id <= lastId) found.push(`id ${message.id} after ${lastId}`);
    lastId = message.id;
    if (message.role === 'toolResult') {
      const { toolCallId = '' } = message.content as { toolCallId?: string };
      if (!open.includes(toolCallId)) found.push(`a result of ${toolCallId}, which was not called`);
      open = open.filter((id) => id !== toolCallId);
      continue;
    }
    if (open.length > 0) found.push(`no result of ${open.join(', ')}`);
    open = blocksOf(message).flatMap((block) => (block.type === 'toolCall' ? [block.id ?? ''] : []));
  }
  if (open.length > 0) found.push(`no result of ${open.join(', ')}`);
  return found;
}
