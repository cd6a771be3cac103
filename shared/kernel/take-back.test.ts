import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { TestKernel, type TestPage } from '../../tests/support/kernel.ts';
import { TakeBacks } from './take-back.ts';

describe('taking back', () => {
  test('[S83] rows become what they were, but for those that were changed again since', () => {
    const docs = [new Y.Doc(), new Y.Doc()] as const;
    const [first, second] = docs.map((doc) => doc.getMap('rows'));
    first?.set('old', 1);
    first?.set('gone', 1);
    const { result, takeBack } = new TakeBacks().takeable(docs, () => {
      first?.set('old', 2);
      first?.set('old', 3);
      first?.set('new', 1);
      first?.delete('gone');
      second?.set('theirs', 1);
      return 'done';
    });
    second?.set('theirs', 2);
    takeBack();
    expect([result, first?.toJSON(), second?.toJSON()]).toEqual(['done', { old: 1, gone: 1 }, { theirs: 2 }]);
  });

  test('[S100] of changes one after another that were refused in this order, none comes true', () => {
    const doc = new Y.Doc();
    const rows = doc.getMap('rows');
    const takeBacks = new TakeBacks();
    rows.set('a', 'stored');
    const refused = ['first', 'second', 'third'].map(
      (value) => takeBacks.takeable([doc], () => void rows.set('a', value)).takeBack,
    );
    for (const takeBack of refused) takeBack();
    expect(rows.toJSON()).toEqual({ a: 'stored' });
    const { takeBack } = takeBacks.takeable([doc], () => void rows.set('b', 'first'));
    takeBacks.takeable([doc], () => void rows.set('b', 'second'));
    takeBack();
    expect(rows.toJSON()).toEqual({ a: 'stored', b: 'second' });
  });
});

const schedule = {
  name: 'refused',
  expression: { kind: 'every', everyMs: 3_600_000 },
  target: { kind: 'process.event', pid: 'init:1000', message: 'hello' },
} as const;
const key = 'users/1000/ai/note';

/** Everything that the calls of the test change. */
async function state(page: TestPage): Promise<unknown> {
  return {
    config: (await page.call('sys.config.get', { key })).entries,
    schedules: (await page.call('sched.list', {})).schedules.map(({ name }) => name),
    processes: (await page.call('proc.list', {})).processes.map(({ label }) => label),
    tokens: (await page.call('sys.token.list', {})).tokens.map(({ label }) => label),
    kept: await page.call('fs.read', { path: '~/kept.md' }),
    files: await page.call('fs.search', { query: 'refused', path: '~' }),
  };
}

/** Makes every change; answers with what each refusal says. */
async function refusals(page: TestPage, id: string): Promise<string[]> {
  const changes: (() => Promise<unknown>)[] = [
    () => page.call('sys.config.set', { key, value: 'refused' }),
    () => page.call('fs.write', { path: `/sys/config/${key}`, content: 'refused' }),
    () => page.call('sched.add', schedule),
    () => page.call('sched.update', { id, patch: { name: 'refused' } }),
    () => page.call('sched.remove', { id }),
    () => page.call('proc.spawn', { profile: 'task', label: 'refused' }),
    () => page.call('sys.token.create', { kind: 'user', label: 'refused' }),
    () => page.call('fs.write', { path: '~/new.md', content: 'refused' }),
    () => page.call('fs.edit', { path: '~/kept.md', oldString: 'kept', newString: 'refused' }),
    () => page.call('fs.delete', { path: '~/kept.md' }),
  ];
  const said: string[] = [];
  for (const change of changes) {
    const words = (answer: unknown): number => said.push(String((answer as { error?: string }).error));
    await change().then(words, (thrown: Error) => said.push(thrown.message));
  }
  return said;
}

test('[S83] what a full disk refused is as it was, also when there is room again and after a restart', async () => {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('proc.spawn', { profile: 'init' });
  await page.call('sys.config.set', { key, value: 'before' });
  const { id } = (await page.call('sched.add', { ...schedule, name: 'before' })).schedule;
  await page.call('fs.write', { path: '~/kept.md', content: 'kept' });
  const before = await state(page);
  kernel.disk.refuse = new Error('no space left');
  const said = await refusals(page, id);
  for (const words of said) expect(words).toContain('no space left');
  expect(await state(page)).toEqual(before);
  kernel.disk.refuse = null;
  await page.call('sys.config.set', { key: 'users/1000/ai/other', value: 'fits' });
  expect(await state(page)).toEqual(before);
  expect(await state(await kernel.restart())).toEqual(before);
});
