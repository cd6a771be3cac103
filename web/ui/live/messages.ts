import type { AssistantBlock, ImageBlock, TextBlock, ToolCallBlock } from '../../../shared/kernel/ports/models.ts';
import type { MessageRow } from '../../../shared/state/conversation.ts';
import type { Result } from '../../../shared/syscalls/table.ts';

export type HistoryMessage = Extract<Result<'proc.history'>, { ok: true }>['messages'][number];
type Block = AssistantBlock | ImageBlock;

/** The blocks of a stored message. Blocks that lack what their type promises are left out. */
export function blocksOf(row: Pick<MessageRow, 'content'>): Block[] {
  return (row.content as unknown as Partial<Block>[]).filter(isBlock);
}

function isBlock(block: Partial<Block>): block is Block {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'thinking':
      return typeof block.thinking === 'string';
    case 'image':
      return typeof block.data === 'string' && typeof block.mimeType === 'string';
    case 'toolCall':
      return typeof block.id === 'string' && typeof block.name === 'string';
    default:
      return false;
  }
}

export function textOf(row: Pick<MessageRow, 'content'>): string {
  return blocksOf(row)
    .filter((block): block is TextBlock => block.type === 'text')
    .map((block) => block.text)
    .join('\n\n');
}

export function imagesOf(row: Pick<MessageRow, 'content'>): ImageBlock[] {
  return blocksOf(row).filter((block): block is ImageBlock => block.type === 'image');
}

export function callsOf(row: Pick<MessageRow, 'content'>): ToolCallBlock[] {
  return blocksOf(row).filter((block): block is ToolCallBlock => block.type === 'toolCall');
}

/**
 * A message of `proc.history` in the shape of the live rows. Its `content` is either the list of blocks, or an object
 * that carries `content` beside the role's own fields (tool results, model metadata), or plain text.
 */
export function fromHistory(message: HistoryMessage, generation: number): MessageRow {
  const { content } = message;
  const extra = typeof content === 'object' && content !== null && !Array.isArray(content) ? content : {};
  const inner = 'content' in extra ? extra.content : 'text' in extra ? extra.text : content;
  return {
    ...extra,
    id: message.id,
    generation,
    role: message.role,
    content: toBlocks(inner),
    timestamp: message.timestamp ?? 0,
    runId: message.runId ?? null,
  };
}

function toBlocks(content: unknown): MessageRow['content'] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter((block) => typeof block === 'object' && block !== null && 'type' in block);
}
