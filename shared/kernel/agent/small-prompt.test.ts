import { expect, test } from 'vitest';
import { answerRules } from '../local/call-schema.ts';
import { estimateTokens } from './context-window.ts';
import { assemblePrompt, defaultSystemContext, type PromptParts } from './prompt.ts';
import { SMALL_STANDING_TOKENS, smallParts, smallTools } from './small-prompt.ts';
import { toolsFor } from './tools.ts';

const parts: PromptParts = {
  system: defaultSystemContext,
  home: [
    { name: '10-soul.md', text: 'I am patient. '.repeat(400) },
    { name: '20-user.md', text: 'She likes tea.' },
  ],
  skills: [{ name: 'tidy', description: 'Tidies a folder.' }],
  process: [{ name: 'task.md', text: 'Sort the receipts.' }],
  identity: {
    uid: 1000,
    gid: 100,
    gids: [100],
    username: 'ada',
    home: '/home/ada',
    cwd: '/home/ada',
    workspaceId: null,
  },
  devices: [{ id: 'nas', platform: 'linux x64' }],
  maxContextBytes: 32_768,
};

test('[A119] what stands before every answer of a small model is at most 800 tokens, tools included', () => {
  const tools = smallTools(toolsFor(['*']), ['nas']);
  for (const given of [
    parts,
    { ...parts, home: [], process: [] },
    { ...parts, system: [{ name: 'own.md', text: 'x'.repeat(20_000) }] },
    { ...parts, process: [{ name: 'task.md', text: 'y'.repeat(20_000) }] },
  ]) {
    const { text } = assemblePrompt(smallParts(given, tools));
    const asJson = estimateTokens(text.length) + estimateTokens(JSON.stringify(tools).length);
    const asRules = estimateTokens(`${text}\n\n${answerRules(tools)}`.length);
    expect(asJson).toBeLessThanOrEqual(SMALL_STANDING_TOKENS);
    expect(asRules).toBeLessThanOrEqual(SMALL_STANDING_TOKENS);
  }
  const { text } = assemblePrompt(smallParts(parts, tools));
  expect(text).toContain('You are the agent of ada');
  expect(text).toContain('Sort the receipts.');
  expect(text).toContain('I am patient.');
});

test('[A119] a small model gets four tools with what they need, and can name no target that is not there', () => {
  const tools = smallTools(toolsFor(['*']), ['nas']);
  expect(tools.map(({ name }) => name).sort()).toEqual(['Edit', 'Read', 'Shell', 'Write']);
  for (const { parameters } of tools) {
    const { properties, required } = parameters as {
      properties: Record<string, unknown>;
      required: string[];
    };
    expect(Object.keys(properties)).toEqual(required);
    expect(properties.target).toEqual({ type: 'string', enum: ['gsv', 'nas'] });
  }
});
