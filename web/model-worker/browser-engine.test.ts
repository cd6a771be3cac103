import { expect, test } from 'vitest';
import type { EngineMessage } from '../../shared/kernel/local/engine.ts';
import { TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { type ScriptedPromptApi, scriptedPromptApi } from '../../tests/support/scripted-prompt-api.ts';
import { BrowserEngine } from './browser-engine.ts';

const LOAD = { engine: 'browser' as const, model: 'own', files: [], contextWindow: 4_096 };
const going = new AbortController().signal;

const engineOn = (api: ScriptedPromptApi) => new BrowserEngine(api, 'de-AT');
const user = (content: string): EngineMessage => ({ role: 'user', content });
const system: EngineMessage = { role: 'system', content: 'Be brief.' };

async function ask(engine: BrowserEngine, messages: EngineMessage[], maxTokens = 100) {
  let said = '';
  const schema = { type: 'object' };
  const generated = await engine.generate(
    { id: '1', messages, schema, maxTokens },
    (text) => (said += text),
    going,
  );
  return { said, generated };
}

test('[A144] the browser’s own model (its API scripted) answers in pieces, held to the schema of the calls', async () => {
  const api = scriptedPromptApi(['{"say":"hello there"}']);
  const engine = engineOn(api);
  expect(await engine.load(LOAD, () => {}, going)).toEqual({ contextWindow: 4_096, constrains: true });
  const { said, generated } = await ask(engine, [system, user('hi')]);
  expect(said).toBe('{"say":"hello there"}');
  expect(generated).toMatchObject({ stop: 'stop', usage: { cached: 9, output: 6 } });
  expect(api.asked[0]).toMatchObject({
    responseConstraint: { type: 'object' },
    omitResponseConstraintInput: true,
  });
});

test('[A145] the browser’s own model (its API scripted) reads of a dialogue only what is new, and begins anew when its past is another', async () => {
  const api = scriptedPromptApi(['{ "say": "one" }', 'two', 'three']);
  const engine = engineOn(api);
  await ask(engine, [system, user('a')]);
  // The kernel writes what was said without its spaces.
  const past: EngineMessage[] = [system, user('a'), { role: 'assistant', content: '{"say":"one"}' }];
  await ask(engine, [...past, user('b')]);
  expect(api.sessions).toHaveLength(1);
  expect(api.sessions[0]?.messages.map(({ content }) => content)).toEqual([
    'Be brief.',
    'a',
    '{ "say": "one" }',
    'b',
    'two',
  ]);
  await ask(engine, [system, user('c')]);
  expect(api.sessions.map(({ ended }) => ended)).toEqual([true, false]);
});

test('[A146] whatever the browser’s own model refuses (its API scripted) is a sentence, and what is too long is asked with less', async () => {
  const absent = new BrowserEngine(undefined, 'en');
  await expect(absent.load(LOAD, () => {}, going)).rejects.toThrow('no model of its own');
  const api = scriptedPromptApi([
    new DOMException('x', 'QuotaExceededError'),
    new DOMException('x', 'NotReadableError'),
    new DOMException('x', 'InvalidStateError'),
  ]);
  const engine = engineOn(api);
  for (const [state, words] of [
    ['unavailable', 'cannot run'],
    ['downloadable', 'Download it in Settings'],
    ['downloading', 'Download it in Settings'],
  ] as const) {
    api.state = state;
    await expect(engine.load(LOAD, () => {}, going)).rejects.toThrow(words);
  }
  await expect(ask(engine, [user('a')])).rejects.toMatchObject({ code: TOO_LONG });
  await expect(ask(engine, [user('a')])).rejects.toThrow('held back');
  await expect(ask(engine, [user('a')])).rejects.toThrow('Try again');
  expect(api.sessions.every(({ ended }) => ended)).toBe(true);
});

test('[A146] an answer of the browser’s own model (its API scripted) that does not end is cut', async () => {
  const engine = engineOn(scriptedPromptApi(['x'.repeat(1_000)]));
  const { said, generated } = await ask(engine, [user('a')], 10);
  expect(generated.stop).toBe('length');
  expect(said.length).toBeLessThan(100);
});
