import { describe, expect, test } from 'vitest';
import type { CallRow } from '../../../shared/state/conversation.ts';
import { DENIED_BY_PERSON } from '../../../shared/state/conversation-names.ts';
import { callOutput, callState, callWords } from './calls.ts';

const pending = (status: CallRow['status']): CallRow => ({
  callId: 'c',
  key: 'k',
  toolName: 'Shell',
  syscall: 'shell.exec',
  target: 'gsv',
  args: {},
  status,
  startedAt: null,
  finishedAt: null,
});
const output = (text: string) => callOutput({ content: [{ type: 'text', text }] });
const outcome = (isError: boolean) => ({ content: [], isError });

describe('tool calls', () => {
  test('[U10] a card says how its call stands', () => {
    expect(callState(undefined, pending('ready'), true)).toBe('waiting');
    expect(callState(undefined, pending('running'), true)).toBe('running');
    expect(callState(undefined, pending('asking'), true)).toBe('asking');
    expect(callState(outcome(false), pending('running'), true)).toBe('done');
    expect(callState(outcome(true), undefined, false)).toBe('failed');
    expect(callState(undefined, undefined, false)).toBe('interrupted');
  });

  test('[U335] a call that its person denied did not fail', () => {
    const told = { content: [{ type: 'text' as const, text: DENIED_BY_PERSON }], isError: true };
    expect(callState(told, undefined, false)).toBe('denied');
  });

  test('[U11] a card names the command or the path, and the target', () => {
    expect(callWords('Shell', { target: 'nas', input: 'ls -l' })).toMatchObject({
      verb: '',
      subject: 'ls -l',
      target: 'nas',
      detail: { kind: 'none' },
    });
    expect(callWords('Shell', { input: 'cd /x\nmake' })).toMatchObject({
      subject: 'cd /x',
      target: 'gsv',
      detail: { kind: 'command', text: 'cd /x\nmake' },
    });
    expect(callWords('Shell', { sessionId: 's1', input: '' })).toMatchObject({ verb: 'Wait' });
    expect(callWords('Read', { path: '/a', offset: 9, limit: 10 })).toMatchObject({
      verb: 'Read',
      subject: '/a · lines 10–19',
    });
    expect(callWords('Edit', { path: '/a', oldString: 'x', newString: 'y' }).detail).toEqual({
      kind: 'edit',
      before: 'x',
      after: 'y',
      everywhere: false,
    });
    expect(callWords('Search', { query: 'todo', path: '~/src' }).subject).toBe('“todo” in ~/src');
    expect(callWords('Mystery', { a: 1 })).toMatchObject({ verb: 'Mystery', detail: { kind: 'arguments' } });
  });

  test('[U11] arguments of another shape than promised do no harm', () => {
    for (const name of ['Shell', 'Read', 'Write', 'Edit', 'Delete', 'Search']) {
      expect(() => callWords(name, { path: 7, input: null, target: [], oldString: {} })).not.toThrow();
    }
  });

  test('[U12] an output is shown without the machine’s wrapping, and the exit code by itself', () => {
    expect(output('hello\n[exit 0]')).toEqual({ text: 'hello', exitCode: 0, running: false });
    expect(output('oh\n[exit 2]')).toMatchObject({ text: 'oh', exitCode: 2 });
    expect(output('[exit 0]')).toMatchObject({ text: '', exitCode: 0 });
    expect(output('so far\n[still running; sessionId ab]')).toMatchObject({
      text: 'so far',
      running: true,
      exitCode: null,
    });
    expect(output('x\n[failed: killed]').text).toBe('x\nkilled');
    expect(output('{"ok":true,"path":"/d","files":["b"],"directories":["a"]}').text).toBe('a/\nb');
    expect(output('{"ok":true,"matches":[{"path":"/a","line":3,"content":"x"}],"count":1}').text).toBe(
      '/a:3: x',
    );
    expect(output('{"this is": "the file"}').text).toBe('{"this is": "the file"}');
  });
});
