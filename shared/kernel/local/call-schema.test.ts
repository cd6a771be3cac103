import { expect, test } from 'vitest';
import { toolsFor } from '../agent/tools.ts';
import { answerRules, answerSchema } from './call-schema.ts';
import { toEngineMessages } from './engine-messages.ts';

const tools = toolsFor(['*']);

test('[A103] an answer is one object: words, or a call of a tool that there is, with its own arguments', () => {
  const { anyOf } = answerSchema(tools) as {
    anyOf: { properties: { tool: { const: string }; arguments: object }; required: string[] }[];
  };
  expect(anyOf[0]).toMatchObject({ required: ['say'], additionalProperties: false });
  const calls = anyOf.slice(1).map(({ properties }) => properties);
  expect(calls.map(({ tool }) => tool?.const)).toEqual(tools.map(({ name }) => name));
  for (const { arguments: args } of calls) expect(args).toMatchObject({ additionalProperties: false });
  expect(JSON.stringify(anyOf)).not.toContain('description');
});

test('[A103] the rules name every tool with its arguments', () => {
  const rules = answerRules(tools);
  for (const { name } of tools) expect(rules).toContain(`${name}(`);
  expect(rules).toContain('path');
});

test('[A103] what was said and done before stands in the form that is asked for, by turns', () => {
  const at = { timestamp: 0 };
  const by = { provider: 'wllama', model: 'x', ...at };
  const messages = toEngineMessages(
    {
      system: 'Be brief.',
      tools,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }], ...at },
        { role: 'user', content: [{ type: 'image', data: '', mimeType: 'image/png' }], ...at },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Yes.' },
          ],
          ...by,
        },
        {
          role: 'assistant',
          content: [{ type: 'toolCall', id: '1', name: 'Read', arguments: { path: 'a' } }],
          ...by,
        },
        {
          role: 'toolResult',
          toolCallId: '1',
          toolName: 'Read',
          content: [{ type: 'text', text: 'gone' }],
          isError: true,
          ...at,
        },
      ],
    },
    true,
  );
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(messages[0]?.content).toContain('Be brief.');
  expect(messages[1]?.content).toBe('hi\n[an image, which this model cannot see]');
  expect(messages[2]?.content).toBe('{"say":"Yes."}\n{"tool":"Read","arguments":{"path":"a"}}');
  expect(messages[3]?.content).toBe('[Error of Read]: gone');
});

test('[A104] a model that cannot use tools is told so, and speaks plainly', () => {
  const [head, , said] = toEngineMessages(
    {
      system: '',
      tools,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 0 },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Yes.' }],
          provider: '',
          model: '',
          timestamp: 0,
        },
      ],
    },
    false,
  );
  expect(head?.content).toContain('You have no tools here');
  expect(head?.content).not.toContain('Write(');
  expect(said?.content).toBe('Yes.');
});
