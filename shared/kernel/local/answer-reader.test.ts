import { expect, test } from 'vitest';
import type { AssistantBlock, ModelDelta } from '../ports/models.ts';
import { AnswerReader } from './answer-reader.ts';

const TOOLS = ['Read', 'Write'];

/** The text in pieces of so many characters. */
function read(text: string, names = TOOLS, size = 1): { blocks: AssistantBlock[]; deltas: ModelDelta[] } {
  const deltas: ModelDelta[] = [];
  const reader = new AnswerReader(names, (delta) => deltas.push(delta));
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
  return { blocks: reader.finish(), deltas };
}

const shown = (deltas: ModelDelta[]): string =>
  deltas.map((delta) => (delta.type === 'text_delta' ? delta.delta : '')).join('');

test('[A101] what a model says is shown as it comes, however its JSON is cut', () => {
  const said = 'A "quoted" line\nand an é, a tab\t and a snowman ☃.';
  const answer = JSON.stringify({ say: said }).replace('☃', '\\u2603');
  for (const size of [1, 2, 3, 7, 1_000]) {
    const { blocks, deltas } = read(answer, TOOLS, size);
    expect(blocks).toEqual([{ type: 'text', text: said }]);
    expect(shown(deltas)).toBe(said);
    expect(deltas[0]).toEqual({ type: 'text_start', contentIndex: 0 });
    expect(deltas.at(-1)).toEqual({ type: 'text_end', contentIndex: 0 });
  }
});

test('[A101] a call is a call with its arguments, and never shown as text', () => {
  const args = { target: 'gsv', path: 'a.txt', content: 'x{"}' };
  for (const size of [1, 5, 1_000]) {
    const { blocks, deltas } = read(JSON.stringify({ tool: 'Write', arguments: args }), TOOLS, size);
    expect(blocks).toEqual([{ type: 'toolCall', id: '', name: 'Write', arguments: args }]);
    expect(shown(deltas)).toBe('');
  }
});

test('[A101] an answer that was cut off keeps what there is of it', () => {
  expect(read('{"say":"half a sent').blocks).toEqual([{ type: 'text', text: 'half a sent' }]);
  expect(read('{"tool":"Write","arguments":{"path":"a","content":"hal').blocks).toEqual([
    { type: 'toolCall', id: '', name: 'Write', arguments: { path: 'a', content: 'hal' } },
  ]);
});

test('[A102] prose is prose, and a call that misses the form a little is a call', () => {
  expect(read('Hello { world').blocks).toEqual([{ type: 'text', text: 'Hello { world' }]);
  const { blocks, deltas } = read('```json\n{"name": "read", "parameters": {"path": "a.txt"},}\n```');
  expect(blocks).toEqual([{ type: 'toolCall', id: '', name: 'Read', arguments: { path: 'a.txt' } }]);
  expect(deltas).toContainEqual({ type: 'start' });
});

test('[A102] without tools everything is text', () => {
  const answer = '{"tool":"Write","arguments":{}}';
  expect(read(answer, []).blocks).toEqual([{ type: 'text', text: answer }]);
});
