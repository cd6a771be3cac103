import type { ImageBlock, TextBlock, ToolCallBlock } from '../../../shared/kernel/ports/models.ts';
import type { Block, MediaBlock, MessageRow } from '../../../shared/state/conversation.ts';
import type { Result } from '../../../shared/syscalls/table.ts';

export type HistoryMessage = Extract<Result<'proc.history'>, { ok: true }>['messages'][number];

export function textOf(row: Pick<MessageRow, 'content'>): string {
  return row.content
    .filter((block): block is TextBlock => block.type === 'text')
    .map((block) => block.text)
    .join('\n\n');
}

/** What was said last in a run; empty where nothing was. */
export function answerOf(rows: readonly MessageRow[], runId: string): string {
  const last = rows.findLast((row) => row.runId === runId && row.role === 'assistant' && textOf(row) !== '');
  return last === undefined ? '' : textOf(last);
}

export function imagesOf(row: Pick<MessageRow, 'content'>): ImageBlock[] {
  return row.content.filter((block): block is ImageBlock => block.type === 'image');
}

export function mediaOf(row: Pick<MessageRow, 'content'>): MediaBlock[] {
  return row.content.filter((block): block is MediaBlock => block.type === 'media');
}

export function callsOf(row: Pick<MessageRow, 'content'>): ToolCallBlock[] {
  return row.content.filter((block): block is ToolCallBlock => block.type === 'toolCall');
}

/**
 * A message of `proc.history` in the shape of the live rows. Its `content` is the list of blocks, or an object that
 * carries `blocks` beside the role's own fields (answers and tool results).
 */
export function fromHistory(message: HistoryMessage, generation: number): MessageRow {
  const { content } = message;
  const wrapped = typeof content === 'object' && content !== null && 'blocks' in content;
  const { blocks, ...extra } = wrapped ? content : { blocks: content };
  return {
    generation,
    ...extra,
    id: message.id,
    role: message.role,
    content: toBlocks(blocks),
    timestamp: message.timestamp ?? 0,
    runId: message.runId ?? null,
  };
}

function toBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isBlock);
}

function isBlock(block: Partial<Block> | null): block is Block {
  switch (block?.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'thinking':
      return typeof block.thinking === 'string';
    case 'image':
      return typeof block.data === 'string' && typeof block.mimeType === 'string';
    case 'media':
      return (
        typeof block.path === 'string' && typeof block.name === 'string' && typeof block.size === 'number'
      );
    case 'toolCall':
      return typeof block.id === 'string' && typeof block.name === 'string';
    default:
      return false;
  }
}
