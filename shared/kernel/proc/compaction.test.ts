import { describe, expect, test } from 'vitest';
import { archived } from '../../../tests/support/archives.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, fails, says } from '../../../tests/support/scripted-models.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { ModelRequest } from '../ports/models.ts';

type Ok<T> = Extract<T, { ok: true }>;
async function done<T extends { ok: boolean }>(call: Promise<T>): Promise<Ok<T>> {
  const answer = await call;
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  return answer as Ok<T>;
}
const compact = (page: TestPage, args: Args<'proc.conversation.compact'>) =>
  done(page.call('proc.conversation.compact', args));
const segments = async (page: TestPage) => (await done(page.call('proc.conversation.segments', {}))).segments;
const isSummary = ({ system }: ModelRequest): boolean => system.startsWith('You summarise');
const words = ({ messages }: ModelRequest): string =>
  messages
    .map(({ content }) => content.map((block) => ('text' in block ? block.text : '')).join(''))
    .join('\n');

/** A kernel that has been told so many things. */
async function told(count: number, script = (_request: ModelRequest) => says('ok')) {
  const kernel = new TestKernel((request) => (isSummary(request) ? says('made of it') : script(request)));
  const page = await kernel.ready();
  for (let at = 1; at <= count; at += 1) await page.run(`message ${at}`);
  return { kernel, page };
}

describe('compaction', () => {
  test('[P130] archives the beginning exactly, and one summary that names the archive stands in its place', async () => {
    const { kernel, page } = await told(5);
    const before = await page.history();
    const answer = await compact(page, { keepLast: 4, summary: 'five things were said' });
    expect(answer).toMatchObject({
      archivedMessages: 6,
      segment: { kind: 'compaction', generation: 0, messages: 6 },
    });
    expect(answer.archivedTo).toMatch(
      /^\/var\/sessions\/ada\/init:1000\/conversations\/default\/[^/]+\.jsonl\.gz$/,
    );
    const kept = await archived(page, answer.archivedTo);
    expect(kept.map(({ id }) => id)).toEqual(before.messages.slice(0, 6).map(({ id }) => id));
    expect(kept[0]?.content[0]?.text).toBe('message 1');
    const shown = async (at: TestPage) => {
      const { messages, messageCount } = await at.history();
      expect([messageCount, problems(messages)]).toEqual([5, []]);
      expect(messages[0]?.id).toBe(answer.summaryMessageId);
      expect(lines(messages)[0]).toContain(`archived at ${answer.archivedTo}`);
      expect(lines(messages)[0]).toContain('five things were said');
      return lines(messages).slice(1);
    };
    const rest = ['user: message 4', 'assistant: ok', 'user: message 5', 'assistant: ok'];
    expect(await shown(page)).toEqual(rest);
    const after = await kernel.restart();
    expect(await shown(after)).toEqual(rest);
    await after.run('and on');
    const request = words(kernel.models.requests.at(-1) as ModelRequest);
    expect(request).toContain('five things were said');
    expect(request).not.toContain('message 1');
    expect((await after.history()).messageCount).toBe(7);
    const paged = await done(after.call('proc.history', { offset: 0, limit: 2 }));
    expect(lines(paged.messages)[1]).toBe('user: message 4');
  });

  test('[P131] a call and its results are never parted', async () => {
    const kernel = new TestKernel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'toolResult') return says('read');
      const file = { name: 'Read', args: { target: 'gsv', path: '/proc/version' } };
      return calls({ ...file, id: 'x' }, { ...file, id: 'y' });
    });
    const page = await kernel.ready();
    for (const text of ['a', 'b']) await page.run(text);
    expect((await page.history()).messageCount).toBe(10);
    for (const keepLast of [7, 6, 4]) {
      await page.call('proc.conversation.compact', { keepLast, summary: `kept ${keepLast}` });
      expect(problems((await page.history()).messages)).toEqual([]);
    }
    const { messages } = await page.history();
    expect(lines(messages).slice(1)).toEqual([
      'assistant: toolCall toolCall',
      expect.stringContaining('toolResult'),
      expect.stringContaining('toolResult'),
      'assistant: read',
    ]);
    expect((await segments(page)).length).toBe(3);
  });

  test('[P132] again and again: the summary before goes into the archive, and every message is in one', async () => {
    const { page } = await told(8);
    const all = (await page.history()).messages.map(({ id }) => id);
    for (const keepLast of [12, 8, 2]) await compact(page, { keepLast, summary: `kept ${keepLast}` });
    const { messages } = await page.history();
    expect(messages).toHaveLength(3);
    expect(lines(messages)[0]).toContain('kept 2');
    const found = new Set(messages.map(({ id }) => id));
    for (const { archivePath } of await segments(page))
      for (const { id } of await archived(page, archivePath)) found.add(id);
    expect([...found].sort((a, b) => a - b)).toEqual(all);
    expect(await page.call('proc.conversation.compact', { keepLast: 2, summary: 'x' })).toEqual({
      ok: false,
      error: 'There is nothing to compact',
    });
    const reset = await done(page.call('proc.reset', {}));
    expect(reset.archivedMessages).toBe(3);
    await page.run('anew');
    expect(lines((await page.history()).messages)).toEqual(['user: anew', 'assistant: ok']);
  });

  test('[P133] the model makes the summary of at most 24,000 characters, head and tail, and it is counted', async () => {
    const { kernel, page } = await told(0);
    await page.run(`BEGIN ${'x'.repeat(20_000)}`);
    await page.run(`${'y'.repeat(20_000)} END`);
    await page.run('last');
    const { throughMessageId } = { throughMessageId: (await page.history()).messages[3]?.id ?? 0 };
    await compact(page, { throughMessageId, generateSummary: true });
    const asked = words(kernel.models.requests.find(isSummary) as ModelRequest);
    expect(asked).toContain('BEGIN');
    expect(asked).toContain('END');
    expect(asked.length).toBeLessThan(24_100);
    expect(asked.indexOf('[…')).toBe(Math.round(24_000 * 0.35) + 2);
    expect(lines((await page.history()).messages)[0]).toContain('made of it');
  });

  test('[P134] what a segment holds is listed and read page by page, also that of an ended generation', async () => {
    const { page } = await told(4);
    await compact(page, { keepLast: 2, summary: 'short' });
    await page.call('proc.conversation.reset', {});
    const [first, second] = await segments(page);
    expect([first?.kind, second?.kind, second?.summaryMessageId]).toEqual(['compaction', 'reset', null]);
    const read = await done(
      page.call('proc.conversation.segment.read', { segmentId: first?.id ?? '', offset: 2, limit: 2 }),
    );
    expect([lines(read.messages), read.messageCount, read.truncated]).toEqual([
      ['user: message 2', 'assistant: ok'],
      6,
      true,
    ]);
    const ended = await done(page.call('proc.conversation.segment.read', { segmentId: second?.id ?? '' }));
    expect(lines(ended.messages).slice(1)).toEqual(['user: message 4', 'assistant: ok']);
    expect((await page.history()).messageCount).toBe(0);
    expect(await page.call('proc.conversation.segment.read', { segmentId: 'none' })).toMatchObject({
      ok: false,
    });
  });

  test('[P135] a summary, given or made, is carried over a reset when that is asked for', async () => {
    const { page } = await told(2);
    await page.call('proc.conversation.reset', { generateSummary: true });
    expect(lines((await page.history()).messages)).toEqual(['system: made of it']);
    await page.call('proc.conversation.reset', { summary: 'by hand' });
    expect(lines((await page.history()).messages)).toEqual(['system: by hand']);
    await page.call('proc.conversation.reset', {});
    expect((await page.history()).messages).toEqual([]);
  });
});

describe('when a conversation no longer fits', () => {
  const long = 'z'.repeat(8_000);
  async function narrow(
    policy: Omit<Args<'proc.conversation.policy.set'>, 'pid'>,
    script = () => says(long),
  ) {
    const kernel = new TestKernel((request) => (isSummary(request) ? says('made of it') : script()));
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: 'users/1000/ai/context_window', value: '16000' });
    await page.run('hello');
    await done(page.call('proc.conversation.policy.set', policy));
    return { kernel, page };
  }

  test('[P136] the default policy is manual, at 0.9, keeping 80; it is seen and set', async () => {
    const page = await new TestKernel().ready();
    const get = () => done(page.call('proc.conversation.policy.get', {}));
    expect((await get()).policy).toEqual({ overflow: 'manual', compactAtPressure: 0.9, keepLast: 80 });
    await page.call('proc.conversation.policy.set', { overflow: 'fail' });
    expect((await get()).policy).toEqual({ overflow: 'fail', compactAtPressure: 0.9, keepLast: 80 });
  });

  test('[P137] `auto-compact` archives before a model call, and the run goes on', async () => {
    const { kernel, page } = await narrow({ overflow: 'auto-compact', compactAtPressure: 0.5, keepLast: 2 });
    for (let at = 0; at < 6; at += 1) expect((await page.run(`message ${at}`)).status).toBe('ok');
    expect((await segments(page)).length).toBeGreaterThan(0);
    expect(lines((await page.history()).messages)[0]).toContain('made of it');
    expect(words(kernel.models.requests.at(-1) as ModelRequest)).toContain('made of it');
  });

  test('[P137] a summary that cannot be made is said once, and the run goes on without the oldest', async () => {
    const kernel = new TestKernel((request) => (isSummary(request) ? fails('no credit', false) : says(long)));
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: 'users/1000/ai/context_window', value: '16000' });
    await page.run('hello');
    await page.call('proc.conversation.policy.set', {
      overflow: 'auto-compact',
      compactAtPressure: 0.3,
      keepLast: 1,
    });
    for (let at = 0; at < 3; at += 1) expect((await page.run('more')).status).toBe('ok');
    const notes = lines((await page.history()).messages).filter((line) => line.startsWith('system'));
    expect(notes.join(' ')).toContain('could not be compacted: no credit');
    expect(await segments(page)).toEqual([]);
  });

  test('[P138] `fail` ends the run with words for a person, and loses nothing', async () => {
    const { page } = await narrow({ overflow: 'fail' });
    const ends: unknown[] = [];
    for (let at = 0; at < 10; at += 1) ends.push((await page.run(`message ${at}`)).status);
    expect(ends.at(-1)).toBe('error');
    expect(lines((await page.history()).messages).at(-1)).toContain('no longer fits');
  });
});

describe('fork', () => {
  const fork = (page: TestPage, args: Args<'proc.conversation.fork'>) =>
    done(page.call('proc.conversation.fork', args));
  const saidIn = async (page: TestPage, conversationId: string): Promise<string[]> => {
    const { messages } = await done(page.call('proc.history', { conversationId }));
    expect(problems(messages)).toEqual([]);
    return lines(messages);
  };

  test('[P140] copies a conversation through a message; both go on apart', async () => {
    const { page } = await told(3);
    const { messages } = await page.history();
    const forked = await fork(page, {
      throughMessageId: messages[3]?.id ?? 0,
      targetConversationId: 'b',
      title: 'B',
    });
    expect(forked).toMatchObject({
      restoredMessages: 4,
      targetConversation: { id: 'b', title: 'B', messageCount: 4 },
    });
    const { runId } = await done(page.call('proc.send', { conversationId: 'b', message: 'another way' }));
    await page.finished(runId);
    const two = ['user: message 1', 'assistant: ok', 'user: message 2', 'assistant: ok'];
    expect(await saidIn(page, 'b')).toEqual([...two, 'user: another way', 'assistant: ok']);
    expect((await page.history()).messageCount).toBe(6);
    expect(
      await page.call('proc.conversation.fork', { throughMessageId: 1, targetConversationId: 'b' }),
    ).toMatchObject({ ok: false });
  });

  test('[P141] restores a segment with what followed it then, also when that was archived since', async () => {
    const { page } = await told(3);
    const first = await compact(page, { keepLast: 2, summary: 'first' });
    await page.run('later');
    await compact(page, { keepLast: 2, summary: 'second' });
    const whole = await fork(page, { segmentId: first.segment.id, targetConversationId: 'whole' });
    expect(whole.includedLiveSuffix).toBe(true);
    const three = [1, 2, 3].flatMap((at) => [`user: message ${at}`, 'assistant: ok']);
    expect(await saidIn(page, 'whole')).toEqual(three);
    await fork(page, { segmentId: first.segment.id, targetConversationId: 'part', includeLiveSuffix: false });
    expect(await saidIn(page, 'part')).toEqual(three.slice(0, 4));
  });
});

test('[P142] a checkpoint writes summary, messages and segments into the workspace', async () => {
  const kernel = new TestKernel((request) => (isSummary(request) ? says('made of it') : says('ok')));
  const page = await kernel.ready();
  const spawned = await done(page.call('proc.spawn', { profile: 'task', workspace: { mode: 'new' } }));
  const { pid } = spawned;
  const { runId } = await done(page.call('proc.send', { pid, message: 'work' }));
  await page.finished(runId);
  const made = await done(page.call('proc.conversation.checkpoint', { pid, generateSummary: true }));
  const root = `${spawned.cwd}/.gsv`;
  expect(made.files.sort()).toEqual([
    `${root}/processes/${pid}/conversations/default/chat.jsonl`,
    `${root}/processes/${pid}/conversations/default/segments.jsonl`,
    `${root}/summary.md`,
  ]);
  const read = async (path: string): Promise<string> => JSON.stringify(await page.call('fs.read', { path }));
  expect(await read(`${root}/summary.md`)).toContain('made of it');
  expect(await read(made.files[0] ?? '')).toContain('work');
  expect(await page.call('proc.conversation.checkpoint', {})).toEqual({
    ok: false,
    error: 'This process has no workspace',
  });
});

describe('replicas', () => {
  const historyOf = async (page: TestPage): Promise<Ok<Result<'proc.history'>>> =>
    done(page.call('proc.history', { limit: 1000 }));

  test('[P143] that compact apart come together: nothing is lost, the summary that took more stands', async () => {
    const pair = await KernelPair.start(() => says('ok'));
    const { a, b } = pair.pages;
    for (const at of [1, 2, 3, 4]) await pair.passing(a.run(`message ${at}`));
    await pair.until(async () => (await historyOf(b).catch(() => null))?.messageCount === 8, 'b has all');
    const all = (await historyOf(a)).messages.map(({ id }) => id);
    pair.hosts.b.cut();
    await pair.pass(2_000);
    await pair.passing(compact(a, { keepLast: 4, summary: 'by a' }));
    await pair.passing(b.run('apart'));
    await pair.passing(compact(b, { keepLast: 4, summary: 'by b' }));
    pair.hosts.b.mend();
    const same = async (): Promise<boolean> => {
      const [here, there] = [await historyOf(a), await historyOf(b)];
      return JSON.stringify(here.messages) === JSON.stringify(there.messages) && here.messageCount === 5;
    };
    await pair.until(same, 'both are alike');
    const { messages } = await historyOf(a);
    expect(lines(messages)[0]).toContain('by b');
    expect(lines(messages).slice(1)).toEqual([
      'user: message 4',
      'assistant: ok',
      'user: apart',
      'assistant: ok',
    ]);
    const found = new Set(messages.map(({ id }) => id));
    for (const { archivePath } of await segments(b))
      for (const { id } of await pair.passing(archived(b, archivePath))) found.add(id);
    for (const id of all) expect(found).toContain(id);
  });

  test('[P144] what was said apart from a compaction, before where it cut, stays', async () => {
    const pair = await KernelPair.start(() => says('ok'));
    const { a, b } = pair.pages;
    for (const at of [1, 2]) await pair.passing(a.run(`message ${at}`));
    await pair.until(async () => (await historyOf(b).catch(() => null))?.messageCount === 4, 'b has all');
    await pair.passing(b.run('by b'));
    await pair.until(async () => (await historyOf(a)).messageCount === 6, 'a has it');
    pair.hosts.b.cut();
    await pair.pass(2_000);
    await pair.passing(b.run('apart'));
    for (const at of [3, 4, 5]) await pair.passing(a.run(`message ${at}`));
    await pair.passing(compact(a, { keepLast: 2, summary: 'by a' }));
    pair.hosts.b.mend();
    const texts = async (page: TestPage) => lines((await historyOf(page)).messages);
    const both = async () =>
      (await texts(a)).includes('user: apart') && (await texts(b)).length === (await texts(a)).length;
    await pair.until(both, 'what b said is here');
    expect(await texts(a)).toEqual(await texts(b));
    expect((await historyOf(a)).messageCount).toBe((await texts(a)).length);
    expect((await texts(a)).join('\n')).toContain('by a');
    expect((await texts(a)).slice(-2)).toEqual(['user: message 5', 'assistant: ok']);
  });
});
