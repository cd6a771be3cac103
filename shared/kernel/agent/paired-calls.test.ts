import { describe, expect, test } from 'vitest';
import type { Block, MessageRow } from '../../state/conversation.ts';
import type { ModelMessage } from '../ports/models.ts';
import { windowHistory } from './context-window.ts';

type Row = Omit<MessageRow, 'id' | 'generation' | 'timestamp'>;

const user = (text: string, runId: string): Row => ({
  role: 'user',
  content: [{ type: 'text', text }],
  runId,
});
const calls = (runId: string, ...ids: string[]): Row => ({
  role: 'assistant',
  content: ids.map((id): Block => ({ type: 'toolCall', id, name: 'Shell', arguments: {} })),
  runId,
});
const result = (runId: string, toolCallId: string, text: string): Row => ({
  role: 'toolResult',
  content: [{ type: 'text', text }],
  runId,
  toolCallId,
  toolName: 'Shell',
});

async function sent(rows: Row[]): Promise<ModelMessage[]> {
  const stored = rows.map((row, at): MessageRow => ({ ...row, id: at + 1, generation: 0, timestamp: at }));
  const log = {
    count: stored.length,
    async *backwards() {
      yield* [...stored].reverse();
    },
  };
  return (await windowHistory(log, 100_000)).messages;
}

/** `role` of each message, with the call and the text of a result. */
const shape = (messages: ModelMessage[]): string[] =>
  messages.map((message) => {
    if (message.role !== 'toolResult') return message.role;
    const [block] = message.content;
    return `${message.toolCallId}=${block?.type === 'text' ? block.text.split(':')[0] : ''}`;
  });

describe('what a provider is sent', () => {
  test('[P36] has exactly one result behind each call, however two replicas wrote apart', async () => {
    const messages = await sent([
      user('one', 'a'),
      calls('a', 'x', 'y'),
      user('from elsewhere', 'b'),
      result('a', 'y', 'ry'),
      calls('b', 'x'),
      result('b', 'x', 'rb'),
      result('a', 'x', 'rx'),
      result('a', 'x', 'a second one'),
      result('gone', 'z', 'of no call'),
    ]);
    expect(shape(messages)).toEqual(['user', 'assistant', 'x=rx', 'y=ry', 'user', 'assistant', 'x=rb']);
  });

  test('[P36] says of a call without a result that it was interrupted, and stores nothing of it', async () => {
    const messages = await sent([
      user('one', 'a'),
      calls('a', 'x', 'y'),
      result('a', 'x', 'rx'),
      user('two', 'b'),
    ]);
    expect(shape(messages)).toEqual(['user', 'assistant', 'x=rx', 'y=Interrupted', 'user']);
    expect(messages[3]).toMatchObject({ isError: true, toolName: 'Shell' });
  });

  test('[P36] takes a result for the newest call of its id in its run', async () => {
    const messages = await sent([
      user('one', 'a'),
      calls('a', 'x'),
      result('a', 'x', 'first'),
      calls('a', 'x'),
      result('a', 'x', 'second'),
    ]);
    expect(shape(messages)).toEqual(['user', 'assistant', 'x=first', 'assistant', 'x=second']);
  });

  test('[P36] begins with a user also when the beginning of a run is not here', async () => {
    const messages = await sent([calls('a', 'x'), result('a', 'x', 'rx')]);
    expect(shape(messages)).toEqual(['user', 'assistant', 'x=rx']);
  });
});
