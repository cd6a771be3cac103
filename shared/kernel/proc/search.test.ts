import { describe, expect, test } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import type { Args } from '../../syscalls/table.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { Conversation } from './conversation.ts';
import type { NewMessage } from './message-log.ts';
import { search } from './search.ts';
import { SearchIndex } from './search-index.ts';
import { wordsOf } from './search-words.ts';

async function find(page: TestPage, args: Args<'proc.search'>) {
  const answer = await page.call('proc.search', args);
  if (!answer.ok) throw new Error(answer.error);
  return answer;
}

describe('proc.search', () => {
  test('[P150] finds words of any message, the newest first, in all of the caller’s processes and in no other', async () => {
    const kernel = new TestKernel(() => says('The answer has a Needle.'));
    await kernel.ready();
    kernel.kill();
    const bob = await kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await kernel.boot();
    const [page, bobs] = [await kernel.signedIn(), await kernel.signedIn(bob)];
    await page.run('one needle in the haystack');
    const spawned = await page.call('proc.spawn', { profile: 'task', prompt: 'another needle' });
    if (!spawned.ok) throw new Error(spawned.error);
    await expect.poll(async () => (await page.history(spawned.pid)).messageCount).toBe(2);
    await bobs.run('a needle of bob');
    const { matches, complete } = await find(page, { query: 'NEEDLE' });
    expect([matches.length, complete]).toEqual([4, true]);
    expect(matches[0]).toMatchObject({ role: 'assistant', segmentId: null });
    expect(JSON.stringify(matches)).not.toContain('bob');
    expect((await find(page, { query: 'needle haystack' })).matches).toHaveLength(1);
    expect((await find(page, { query: 'needle', pid: spawned.pid })).matches).toHaveLength(2);
    expect((await find(page, { query: 'needle', limit: 1 })).complete).toBe(false);
    expect((await find(page, { query: 'nothing like it' })).matches).toEqual([]);
    expect(await bobs.call('proc.search', { query: 'needle', pid: 'init:1000' })).toMatchObject({
      ok: false,
    });
  });

  test('[P151] finds what is archived, by compaction and by reset, each once, also after a restart', async () => {
    const kernel = new TestKernel(() => says('ok'));
    const page = await kernel.ready();
    for (const text of ['first needle', 'second needle', 'third needle', 'last']) await page.run(text);
    await page.call('proc.conversation.compact', { keepLast: 4, summary: 'needles were spoken of' });
    const archivedIn = async (at: TestPage): Promise<boolean[]> =>
      (await find(at, { query: 'needle' })).matches
        .filter(({ role }) => role === 'user')
        .map(({ segmentId }) => segmentId !== null);
    expect(await archivedIn(page)).toEqual([false, true, true]);
    await page.call('proc.conversation.reset', {});
    expect(await archivedIn(page)).toEqual([true, true, true]);
    const after = await kernel.restart();
    expect(await archivedIn(after)).toEqual([true, true, true]);
    expect((await after.history()).messages).toEqual([]);
  });

  test('[P152] finds words of scripts without spaces, and any form of a character', async () => {
    const page = await new TestKernel(() => says('ok')).ready();
    await page.run('明日の会議は京都で行います');
    await page.run('전체 검색이 됩니다');
    await page.run('ＦＵＬＬ ｗｉｄｔｈ Ärger');
    for (const query of ['京都', '会議', '검색', 'full width', 'ÄRGER', '都'])
      expect((await find(page, { query })).matches, query).toHaveLength(1);
    expect((await find(page, { query: '大阪' })).matches).toEqual([]);
  });
});

test('[P153] blocks that cannot have a word are not read; what has changed since is read again', async () => {
  const { documents, self } = new Hub().replica(0);
  const conversation = await Conversation.open(documents, 'p', 'default', self);
  const say = (at: number): NewMessage => ({
    role: 'user',
    content: [{ type: 'text', text: at === 777 ? 'the unmistakable word' : `message number ${at} of many` }],
    timestamp: at,
    runId: `run-${at}`,
  });
  for (let at = 0; at < 2_000; at += 100)
    await conversation.append(Array.from({ length: 100 }, (_, place) => say(at + place)));
  const index = new SearchIndex(documents);
  const { log } = conversation;
  const read: number[] = [];
  const peek = log.peek.bind(log);
  log.peek = (n) => {
    read.push(n);
    return peek(n);
  };
  const found = async (query: string): Promise<number[]> => {
    read.length = 0;
    const ids: number[] = [];
    const parts = { index, fs: {} as FileSystem, conversation };
    for await (const { row } of search(parts, wordsOf(query))) ids.push(row.timestamp);
    return ids;
  };
  expect([await found('unmistakable'), read.length]).toEqual([[777], 10]);
  expect([await found('unmistakable'), read.length]).toEqual([[777], 1]);
  await conversation.append([
    { ...say(0), content: [{ type: 'text', text: 'unmistakable once more' }], timestamp: 9 },
  ]);
  expect([await found('unmistakable'), read.length]).toEqual([[9, 777], 2]);
});
