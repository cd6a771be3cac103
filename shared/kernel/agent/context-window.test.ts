import { describe, expect, test } from 'vitest';
import type { MessageRow } from '../../state/conversation.ts';
import type { ModelMessage } from '../ports/models.ts';
import { contextState, windowHistory } from './context-window.ts';

type Draft = Partial<MessageRow> & Pick<MessageRow, 'role'>;
const say = (role: MessageRow['role'], text: string): Draft => ({ role, content: [{ type: 'text', text }] });

function logOf(drafts: Draft[]) {
  const rows = drafts.map(
    (draft, at): MessageRow => ({
      id: at + 1,
      generation: 0,
      content: [],
      timestamp: at,
      runId: null,
      ...draft,
    }),
  );
  return {
    count: rows.length,
    async *backwards() {
      yield* [...rows].reverse();
    },
  };
}

/** A turn of the agent: a call of each tool, then their results. */
function toolTurn(turn: number, length: number, calls = 2): Draft[] {
  const ids = Array.from({ length: calls }, (_, at) => `t${turn}-${at}`);
  return [
    { role: 'assistant', content: ids.map((id) => ({ type: 'toolCall', id, name: 'Read', arguments: {} })) },
    ...ids.map(
      (toolCallId): Draft => ({ ...say('toolResult', 'x'.repeat(length)), toolCallId, toolName: 'Read' }),
    ),
  ];
}

function unanswered(messages: ModelMessage[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const block of message.content) if (block.type === 'toolCall') open.add(block.id);
    } else if (message.role === 'toolResult' && !open.delete(message.toolCallId))
      wrong.push(message.toolCallId);
  }
  return [...wrong, ...open];
}

describe('what a model is shown of a history', () => {
  test('[A42] is its newest part, never half of a tool call, at any budget', async () => {
    const drafts = Array.from({ length: 12 }, (_, turn) => [
      say('user', `m${turn}`),
      ...toolTurn(turn, 100 + turn * 40),
    ]).flat();
    for (let budget = 10; budget < 4000; budget += 37) {
      const { messages, left, tokens } = await windowHistory(logOf(drafts), budget);
      expect(unanswered(messages)).toEqual([]);
      expect(messages.length + left - (left > 0 ? 1 : 0)).toBe(drafts.length);
      if (left > 0) {
        expect(JSON.stringify(messages[0])).toContain(
          `[Process Event]: ${left} earlier messages are not shown.`,
        );
        if (messages.length > 5) expect(tokens).toBeLessThanOrEqual(budget);
      }
    }
    const all = await windowHistory(logOf(drafts), 1e6);
    expect([all.left, all.messages.length]).toEqual([0, drafts.length]);
  });

  test('[P405] ends with something to answer, also when nothing was said or the model spoke last', async () => {
    const texts = async (drafts: Draft[]): Promise<string[]> =>
      (await windowHistory(logOf(drafts), 1e6)).messages.map(({ role, content }) => {
        const [block] = content;
        return `${role}: ${block?.type === 'text' ? block.text : ''}`;
      });
    expect(await texts([])).toEqual(['user: [Process Event]: Go on.']);
    const talk = [say('user', 'hi'), say('assistant', 'hello')];
    expect(await texts(talk)).toEqual(['user: hi', 'assistant: hello', 'user: [Process Event]: Go on.']);
    expect(await texts([...talk, say('user', 'and?')])).toHaveLength(3);
    expect(await texts([say('user', 'hi'), ...toolTurn(0, 1)])).toHaveLength(4);
  });

  test('[A43] system notes are events, thinking and signatures stay, images go along', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' } as const;
    const { messages } = await windowHistory(
      logOf([
        { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
        {
          role: 'assistant',
          content: [thinking, { type: 'text', text: 'I see' }],
          provider: 'p',
          model: 'm',
        },
        { ...say('system', 'Stopped by the user.'), note: 'aborted' },
      ]),
      1e6,
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'look' }, image], timestamp: 0 },
      {
        role: 'assistant',
        content: [thinking, { type: 'text', text: 'I see' }],
        provider: 'p',
        model: 'm',
        timestamp: 1,
      },
      {
        role: 'user',
        content: [{ type: 'text', text: '[Process Event]: Stopped by the user.' }],
        timestamp: 2,
      },
    ]);
  });

  test('[A43] an image counts as what it costs a model, not as its letters', async () => {
    const image = { type: 'image', data: 'A'.repeat(2_000_000), mimeType: 'image/png' } as const;
    const { tokens } = await windowHistory(logOf([{ role: 'user', content: [image] }]), 1e6);
    expect(tokens).toBeLessThan(2000);
  });
});

test('[A44] how full the window is comes from the provider’s count, else from ours, and is named', () => {
  const parts = { system: 100, home: 100, skills: 100, tools: 100, history: 100 };
  expect(contextState(parts, 1000, null)).toMatchObject({ tokens: 500, pressure: 0.5, level: 'ok' });
  expect(contextState(parts, 1000, 750).level).toBe('warn');
  expect(contextState(parts, 1000, 900).level).toBe('critical');
  expect(contextState(parts, 1000, 1200).level).toBe('full');
  expect(contextState(parts, 0, null).level).toBe('full');
});
