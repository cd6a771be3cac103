import type { MessageRow } from '../../state/conversation.ts';
import type { ModelMessage } from '../ports/models.ts';

type Slot = { callId: string; toolName: string; timestamp: number; result: ModelMessage | null };

const NO_RESULT = 'Interrupted: no result of this call is known. Check whether it took effect.';

/**
 * Messages as providers take them: each tool call is followed at once by exactly one result. What several replicas
 * wrote apart may stand otherwise, and of a run that was cut off some results are missing; only what is sent is put right.
 */
export function pairedCalls(
  rows: readonly MessageRow[],
  toModelMessage: (row: MessageRow) => ModelMessage,
): ModelMessage[] {
  const open = new Map<string, Slot>();
  const order: (ModelMessage | Slot)[] = [];
  for (const row of rows) {
    if (row.role === 'toolResult') {
      const slot = open.get(slotKey(row.runId, row.toolCallId ?? ''));
      if (slot) slot.result ??= toModelMessage(row);
      continue;
    }
    order.push(toModelMessage(row));
    for (const block of row.role === 'assistant' ? row.content : []) {
      if (block.type !== 'toolCall') continue;
      const slot = { callId: block.id, toolName: block.name, timestamp: row.timestamp, result: null };
      open.set(slotKey(row.runId, block.id), slot);
      order.push(slot);
    }
  }
  return order.map((entry) => ('result' in entry ? (entry.result ?? interrupted(entry)) : entry));
}

/** Ids of calls are unique in one message only; the newest one of a run is meant. */
const slotKey = (runId: string | null, callId: string): string => `${runId} ${callId}`;

function interrupted({ callId, toolName, timestamp }: Slot): ModelMessage {
  const content = [{ type: 'text' as const, text: NO_RESULT }];
  return { role: 'toolResult', toolCallId: callId, toolName, content, isError: true, timestamp };
}
