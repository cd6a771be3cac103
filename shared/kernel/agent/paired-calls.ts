import type { MessageRow } from '../../state/conversation.ts';
import type { ModelMessage, ToolCallBlock } from '../ports/models.ts';

const NO_RESULT = 'Interrupted: no result of this call is known. Check whether it took effect.';

/**
 * Messages as providers take them: each tool call is followed at once by exactly one result. What several replicas
 * wrote apart may stand otherwise, and of a run that was cut off some results are missing; only what is sent is put right.
 */
export function pairedCalls(
  rows: readonly MessageRow[],
  toModelMessage: (row: MessageRow) => ModelMessage,
): ModelMessage[] {
  const messages: ModelMessage[] = [];
  /** Places of results that have not been seen yet. */
  const open = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    if (row.role === 'toolResult') {
      const key = open.size > 0 ? slotKey(row.runId, row.toolCallId ?? '') : '';
      const place = open.get(key);
      if (place === undefined) continue;
      open.delete(key);
      messages[place] = toModelMessage(row);
      continue;
    }
    messages.push(toModelMessage(row));
    if (row.role !== 'assistant') continue;
    let next = at;
    for (const block of row.content) {
      if (block.type !== 'toolCall') continue;
      const key = slotKey(row.runId, block.id);
      next += 1;
      const result = rows[next];
      // Ids of calls are unique in one message only: of a run, the newest one is meant.
      open.delete(key);
      if (isResult(result, row.runId, block.id)) messages.push(toModelMessage(result));
      else open.set(key, messages.push(interrupted(block, row.timestamp)) - 1);
    }
  }
  return messages;
}

const slotKey = (runId: string | null, callId: string): string => `${runId} ${callId}`;

function isResult(row: MessageRow | undefined, runId: string | null, callId: string): row is MessageRow {
  return row?.role === 'toolResult' && row.toolCallId === callId && row.runId === runId;
}

function interrupted({ id, name }: ToolCallBlock, timestamp: number): ModelMessage {
  const content = [{ type: 'text' as const, text: NO_RESULT }];
  return { role: 'toolResult', toolCallId: id, toolName: name, content, isError: true, timestamp };
}
