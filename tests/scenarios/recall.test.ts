import { expect, test } from 'vitest';
import { lines } from '../support/history.ts';
import { TestPage } from '../support/kernel.ts';
import { Life } from '../support/mortal.ts';
import { answers, does, type Move, read, Story, search, shell, write } from '../support/story.ts';

const HOUR = 60 * 60_000;
const PLUMBER = 'the plumber is called Ines';

const compacts = async (story: Story, keepLast: number, summary = 'hours of small talk') => {
  const done = await story.ask('proc.conversation.compact', { keepLast, summary });
  if (!done.ok) throw new Error(done.error);
  return done;
};
/** The last thing that the model was told. */
const lastTold = (story: Story): string =>
  JSON.stringify(story.kernel.models.requests.at(-1)?.messages.at(-1));
/** Reads the file that the last search named. */
const readsWhatItFound =
  (story: Story): Move =>
  (request, turn) => {
    const [path = 'nothing was found'] = /\/proc\/\S+\/segments\/[^\s\\]+/.exec(lastTold(story)) ?? [];
    return does(read(path))(request, turn);
  };

test('[P451] what was said 42 hours and four compactions ago is found by search and read in its segment', async () => {
  const story = await Story.beginAt('2026-11-20T09:00:00Z');
  for (let hour = 0; hour < 45; hour += 1) {
    await story.says(hour === 3 ? PLUMBER : `hour ${hour}: all is well`);
    if (hour % 10 === 9) await compacts(story, 4);
    await story.passes(HOUR);
  }
  expect((await story.told()).join('\n')).not.toContain('Ines');
  story.agent(does(shell('proc search plumber called')), readsWhatItFound(story), answers('Ines.'));
  await story.says('who was the one for the pipes?');
  const [found, file] = story.results();
  expect(found?.text).toMatch(
    /^2026-11-20T12:00Z user #\d+ \/proc\/init:1000\/conversations\/default\/segments/m,
  );
  expect(file).toMatchObject({ isError: false, text: expect.stringContaining(PLUMBER) });
  expect(JSON.stringify(story.kernel.models.requests.at(-3)?.messages)).not.toContain('Ines');
});

test('[P451] killed at any moment of a compaction, each message is in the conversation or whole in an archive', async () => {
  const prepared = await Story.begin();
  for (const word of ['one', 'two', 'three', 'four']) await prepared.says(word);
  prepared.kill();
  const outcomes = new Set<string>();
  for (let at = 0, over = false; !over; at += 1) {
    const life = new Life(at);
    const story = Story.on(prepared);
    const compacting = story.boots(life).then(() => compacts(story, 2, 'numbers'));
    await Promise.race([compacting, life.over]);
    over = life.alive;
    await story.restarts();
    outcomes.add(await whereIsEverything(story));
  }
  expect([...outcomes].sort()).toEqual(['compacted', 'whole']);
});

async function whereIsEverything(story: Story): Promise<string> {
  const live = await story.told();
  const listed = await story.ask('proc.conversation.segments', {});
  const segments = listed.ok ? listed.segments : [];
  const kept = await Promise.all(
    segments.map(({ id }) => story.ask('proc.conversation.segment.read', { segmentId: id })),
  );
  const all = [...kept.flatMap((segment) => (segment.ok ? lines(segment.messages) : [])), ...live];
  for (const word of ['one', 'two', 'three', 'four'])
    expect(all.filter((line) => line === `user: ${word}`)).toHaveLength(1);
  return segments.length === 0 ? 'whole' : 'compacted';
}

test('[P451] what was reset is found, too, and is not brought back by that', async () => {
  const story = await Story.begin();
  await story.says(PLUMBER);
  await story.ask('proc.reset', {});
  story.agent(does(shell('proc search plumber')), readsWhatItFound(story), answers('Ines.'));
  await story.says('who was it?');
  expect(story.results()[1]?.text).toContain(PLUMBER);
  expect((await story.told()).filter((line) => line.startsWith('user: '))).toEqual(['user: who was it?']);
});

test('[P451] a long day that compacts by itself never sends more than fits, and forgets nothing', async () => {
  const story = await Story.begin();
  await story.ask('sys.config.set', { key: 'users/1000/ai/context_window', value: '16000' });
  await story.says('good morning');
  const policy = { overflow: 'auto-compact', compactAtPressure: 0.6, keepLast: 4 } as const;
  await story.ask('proc.conversation.policy.set', policy);
  for (let at = 0; at < 12; at += 1) await story.says(`fact-${at} ${'and so on '.repeat(400)}`);
  const longest = story.kernel.models.requests.map(({ messages }) => JSON.stringify(messages).length);
  expect(Math.max(...longest)).toBeLessThan(12_000 * 4);
  for (let at = 0; at < 12; at += 1) {
    const found = await story.ask('proc.search', { query: `fact-${at}`, limit: 500 });
    expect(found.ok && found.matches.some(({ role }) => role === 'user'), `fact-${at}`).toBe(true);
  }
});

test('[P451] what the agent noted in a file outlives compaction and reset', async () => {
  const story = await Story.begin();
  story.agent(does(write('~/memory/2026-11-22.md', PLUMBER)), answers('Noted.'));
  await story.says(PLUMBER);
  await story.says('thank you');
  await compacts(story, 1);
  await story.ask('proc.reset', {});
  story.agent(does(search('plumber', '~/memory')), answers('Ines.'));
  await story.says('who was it?');
  expect(story.results()[0]?.text).toContain('Ines');
});

test('[P451] an archived part is taken up again in a conversation of its own, and the other stays as it is', async () => {
  const story = await Story.begin();
  await story.says(PLUMBER);
  await story.says('now of something else');
  const { segment } = await compacts(story, 2);
  const before = await story.told();
  const forked = await story.ask('proc.conversation.fork', {
    segmentId: segment.id,
    title: 'Pipes',
    includeLiveSuffix: false,
  });
  if (!forked.ok) throw new Error(forked.error);
  const conversationId = forked.targetConversation.id;
  const sent = await story.ask('proc.send', { conversationId, message: 'call her' });
  if (!sent.ok) throw new Error(sent.error);
  await story.page.finished(sent.runId);
  expect(JSON.stringify(story.kernel.models.requests.at(-1)?.messages)).toContain('Ines');
  expect(await story.told()).toEqual(before);
});

test('[P451] a summary that the person wrote is what the agent reads, word for word', async () => {
  const story = await Story.begin();
  for (const text of ['the red one', 'no, the blue one', 'sure?']) await story.says(text);
  await compacts(story, 2, 'It is to be the *blue* one; do not ask again.');
  await story.says('which one?');
  const asked = JSON.stringify(story.kernel.models.requests.at(-1)?.messages);
  expect(asked).toContain('It is to be the *blue* one; do not ask again.');
  expect(asked).not.toContain('the red one');
});

test('[P451] nobody else finds what somebody said, live or archived', async () => {
  const story = await Story.begin();
  await story.says(PLUMBER);
  await story.says('and on');
  await compacts(story, 1);
  const account = await story.kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
  await story.restarts();
  const bob = new TestPage(story.kernel.kernel);
  await bob.connect(account);
  expect(await bob.call('proc.search', { query: 'plumber' })).toMatchObject({ ok: true, matches: [] });
  const { segments } = (await story.ask('proc.conversation.segments', {})) as { segments: { id: string }[] };
  const path = `/proc/init:1000/conversations/default/segments/${segments[0]?.id}`;
  expect(await story.ask('fs.read', { path })).toMatchObject({ ok: true });
  expect(await bob.call('fs.read', { path })).toMatchObject({ ok: false });
});
