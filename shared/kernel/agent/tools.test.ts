import { describe, expect, test } from 'vitest';
import { SyscallError } from '../../protocol/errors.ts';
import { renderError, renderResult } from './tool-result.ts';
import { prepareCall, toolsFor } from './tools.ts';

type Parameters = { properties: Record<string, { type?: string; maxLength?: number }>; required: string[] };

describe('the tools', () => {
  test('[A39] are those that the capabilities allow, with target required', () => {
    const all = toolsFor(['*']);
    expect(all.map(({ name }) => name)).toEqual(['Read', 'Write', 'Edit', 'Delete', 'Search', 'Shell']);
    for (const { parameters } of all) {
      const { required, properties } = parameters as Parameters;
      expect(required[0]).toBe('target');
      for (const name of required) expect(properties).toHaveProperty(name);
      expect(JSON.stringify(properties)).not.toContain('maxLength');
    }
    expect(toolsFor(['fs.read']).map(({ name }) => name)).toEqual(['Read']);
    expect(toolsFor([])).toEqual([]);
  });

  test.each([
    ['Read', { target: 'gsv', path: 'a', offset: null, limit: null }, { target: 'gsv', path: 'a' }],
    ['Search', { target: 'laptop', query: 'x' }, { target: 'laptop', query: 'x' }],
    ['Shell', { sessionId: 's1', input: '' }, { sessionId: 's1', input: '' }],
  ])('[A40] %s %j is a call', (name, args, checked) => {
    expect(prepareCall(name, args)).toMatchObject({ kind: 'call', args: checked });
  });

  test.each([
    ['Fly', {}, 'There is no tool named Fly. The tools are: Read, Write'],
    ['constructor', {}, 'There is no tool named constructor'],
    ['fs.read', { path: 'a' }, 'There is no tool named fs.read'],
    ['Read', { path: 'a' }, 'target is required'],
    ['Read', { target: 'gsv' }, '/path'],
    ['Read', { target: 'gsv', path: 'a', lines: 3 }, '/lines unknown field'],
    ['Read', { target: 'gsv', path: 'a', limit: '10' }, '/limit'],
    ['Shell', { input: 'ls' }, 'target is required'],
    ['Write', { target: 'gsv', path: 'a', content: { text: 'x' } }, '/content'],
  ])('[A40] %s %j is refused in words for the model', (name, args, words) => {
    expect(prepareCall(name, args)).toMatchObject({ kind: 'refused', error: expect.stringContaining(words) });
  });
});

describe('results', () => {
  const textOf = (outcome: ReturnType<typeof renderResult>): string =>
    outcome.content.map((block) => (block.type === 'text' ? block.text : block.mimeType)).join('|');

  test('[A41] read as what happened: text, images, exits, sessions and failures', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    const shown = renderResult('fs.read', {
      ok: true,
      content: [{ type: 'text', text: 'a.png' }, image],
      path: 'a',
      size: 3,
    });
    expect(shown).toEqual({ content: [{ type: 'text', text: 'a.png' }, image], isError: false });
    expect(textOf(renderResult('fs.read', { ok: true, content: '     1\tx', path: 'a', size: 1 }))).toBe(
      '     1\tx',
    );
    const shell = (result: object) => renderResult('shell.exec', result);
    expect(textOf(shell({ status: 'completed', output: 'x', exitCode: 3 }))).toBe('x\n[exit 3]');
    expect(textOf(shell({ status: 'running', output: 'x', sessionId: 's1' }))).toBe(
      'x\n[still running; sessionId s1]',
    );
    expect(shell({ status: 'failed', output: '', error: 'no end after 30 s' })).toMatchObject({
      isError: true,
    });
    expect(renderResult('fs.write', { ok: false, error: 'is a directory: a' })).toMatchObject({
      isError: true,
    });
    expect(renderError(new SyscallError(503, 'Device offline: laptop'))).toEqual({
      content: [{ type: 'text', text: 'Device offline: laptop (503)' }],
      isError: true,
    });
    expect(textOf(renderError(new Error('/secret')))).not.toContain('secret');
  });

  test('[A41] a long one keeps its beginning and its end', () => {
    const long = `${'a'.repeat(80_000)}END`;
    const text = textOf(renderResult('fs.read', { ok: true, content: long, path: 'a', size: 1 }));
    expect(text.length).toBeLessThan(61_000);
    expect(text.startsWith('aaa') && text.endsWith('END')).toBe(true);
    expect(text).toContain('characters left out');
  });
});
