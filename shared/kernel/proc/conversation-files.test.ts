import { describe, expect, test, vi } from 'vitest';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { writeHistory } from '../../../tests/support/written.ts';
import { MessageLog } from './message-log.ts';

type Answer = { ok: true; content: string; lines: number; directories?: string[]; files?: string[] };
const HISTORY = '/proc/self/conversations/default/history';
const SEGMENTS = '/proc/self/conversations/default/segments';

async function read(page: TestPage, path: string, part: { offset?: number; limit?: number } = {}) {
  const answer = await page.call('fs.read', { path, ...part });
  if (!answer.ok) throw new Error(answer.error);
  return answer as Answer;
}
/** The rows of a file of JSON lines, as `fs.read` numbers them. */
const rowsOf = ({ content }: Answer): Record<string, unknown>[] =>
  content.split('\n').map((line) => JSON.parse(line.slice(line.indexOf('\t') + 1)));

describe('/proc/<pid>/conversations', () => {
  test('[P400] a history is a line for each message as proc.history gives it, in the page, the shell and for the agent', async () => {
    const kernel = new TestKernel(({ messages }) =>
      messages.length === 1 ? calls({ name: 'Read', args: { path: HISTORY, target: 'gsv' } }) : says('read'),
    );
    const page = await kernel.ready();
    await page.run('what did I say?');
    const { messages } = await page.history();
    expect(rowsOf(await read(page, HISTORY))).toEqual(messages);
    expect(JSON.stringify(messages[2])).toContain('what did I say?');
    await page.call('proc.conversation.open', { conversationId: 'other', title: 'Other' });
    expect((await read(page, '/proc/self/conversations')).directories).toEqual(['default', 'other']);
    const shell = await page.call('shell.exec', { input: `wc -l < ${HISTORY}; stat -c '%a %s' ${HISTORY}` });
    expect(shell).toMatchObject({
      status: 'completed',
      output: '4\n400 0\n',
    });
  });

  test('[P401] of a long history only the blocks are read that hold the lines asked for', async () => {
    const kernel = new TestKernel(() => says('ok'));
    await kernel.ready();
    kernel.kill();
    await writeHistory(kernel, 'init:1000', 1_000);
    await kernel.boot();
    const page = await kernel.signedIn();
    await page.history();
    const peeked = vi.spyOn(MessageLog.prototype, 'peek');
    const part = await read(page, HISTORY, { offset: 450, limit: 3 });
    // A title may be made of the first block meanwhile.
    const blocks = peeked.mock.calls.flat().filter((block) => block !== 0);
    expect([part.lines, part.content.split('\t')[0]?.trim(), blocks]).toEqual([1_000, '451', [2]]);
    expect(rowsOf(part).map(({ content }) => JSON.stringify(content))).toEqual(
      [450, 451, 452].map((at) => expect.stringContaining(`number ${at} `)),
    );
    expect(rowsOf(await read(page, HISTORY))).toEqual((await page.history()).messages);
    peeked.mockRestore();
  });

  test('[P402] segments are listed, and each is read as the messages that were archived', async () => {
    const kernel = new TestKernel(() => says('ok'));
    const page = await kernel.ready();
    for (const text of ['first', 'second', 'third']) await page.run(text);
    const before = (await page.history()).messages;
    await page.call('proc.conversation.compact', { keepLast: 2, summary: 'two were said' });
    const [compacted] = rowsOf(await read(page, `${SEGMENTS}/index`));
    const listed = await page.call('proc.conversation.segments', {});
    expect(listed).toMatchObject({ segments: [compacted] });
    expect(rowsOf(await read(page, `${SEGMENTS}/${compacted?.id}`))).toEqual(before.slice(0, 4));
    expect(rowsOf(await read(page, HISTORY))).toEqual((await page.history()).messages);
    await page.call('proc.conversation.reset', {});
    const after = await kernel.restart();
    expect((await read(after, SEGMENTS)).files).toEqual([compacted?.id, expect.any(String), 'index']);
    expect((await read(after, HISTORY)).content).toBe('');
  });

  test('[P403] who may not read a history by syscall does not by file, and an archive that is none any more says so', async () => {
    const kernel = new TestKernel(() => says('ok'));
    await (await kernel.ready()).run('hello');
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    const dan = await kernel.addAccount({ uid: 1002, username: 'dan', gids: [101] });
    editTables(kernel.disk, (tables) => {
      const { processes } = tables;
      const row = processes.get('init:1000');
      if (row) processes.put('dans', { ...row, pid: 'dans', uid: 1002 });
    });
    await kernel.boot();
    const [page, bobs, dans] = [
      await kernel.signedIn(),
      await kernel.signedIn(bob),
      await kernel.signedIn(dan),
    ];
    expect((await read(dans, '/proc/dans')).directories).toEqual(['context.d']);
    await page.run('secret');
    const path = '/proc/init:1000/conversations/default/history';
    expect(await bobs.call('fs.read', { path })).toMatchObject({ ok: false });
    expect(await page.call('fs.write', { path, content: 'x' })).toMatchObject({ ok: false });
    await page.call('proc.conversation.compact', { keepLast: 0, summary: 'said' });
    const [segment] = rowsOf(await read(page, `${SEGMENTS}/index`));
    const archive = String(segment?.archivePath);
    await page.call('fs.write', { path: archive, content: 'no archive' });
    expect(await page.call('fs.read', { path: `${SEGMENTS}/${segment?.id}` })).toMatchObject({
      ok: false,
      error: expect.stringContaining('not an archive any more'),
    });
    await page.call('fs.delete', { path: archive });
    expect(await page.call('fs.read', { path: `${SEGMENTS}/${segment?.id}` })).toMatchObject({ ok: false });
  });
});
