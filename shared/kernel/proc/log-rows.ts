import type { MessageRow } from '../../state/conversation.ts';
import { BLOCK_SIZE } from '../../state/message-id.ts';
import type { NewMessage } from './message-log.ts';

/** Messages of one run by one writer; `next` is the place of the next one. */
export type Block = { runId: string | null; base: number; next: number };

/** Places that a message takes in a block, with its results: they follow it in the same one. */
function room(message: NewMessage): number {
  if (message.role !== 'assistant') return 1;
  return 1 + message.content.filter((block) => block.type === 'toolCall').length;
}

export function goesOn(block: Block | null, message: NewMessage): block is Block {
  if (block === null || message.runId === null || block.runId !== message.runId) return false;
  return block.next + room(message) <= BLOCK_SIZE;
}

/** Ids of the calls that it makes. */
export const callsIn = ({ content }: Pick<MessageRow, 'content'>): string[] =>
  content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));

/** Whether two rows are one message that was written twice. */
export function isTwin(a: MessageRow, b: MessageRow): boolean {
  if (a.role !== b.role) return false;
  if (a.messageId !== undefined && b.messageId !== undefined) return a.messageId === b.messageId;
  if (a.runId !== b.runId) return false;
  if (a.role === 'toolResult' && a.key !== undefined) return a.key === b.key;
  return a.timestamp === b.timestamp && JSON.stringify(a.content) === JSON.stringify(b.content);
}

/** Puts a row at its place. False when it is there already. */
export function insert(rows: MessageRow[], row: MessageRow): boolean {
  let at = rows.length;
  while (at > 0 && (rows[at - 1]?.id ?? 0) >= row.id) at -= 1;
  const known = rows[at]?.id === row.id;
  rows.splice(at, known ? 1 : 0, row);
  return !known;
}

export function remove(rows: MessageRow[], id: number): boolean {
  const at = rows.findIndex((row) => row.id === id);
  if (at >= 0) rows.splice(at, 1);
  return at >= 0;
}
