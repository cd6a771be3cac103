import { expect, test } from 'vitest';
import {
  answers,
  does,
  edit,
  erase,
  type Move,
  prints,
  read,
  Story,
  search,
  shell,
  write,
} from '../support/story.ts';

test('[P355] a list is made, added to and read back', async () => {
  const story = await Story.begin();
  story.agent(does(write('~/lists/shopping.md', '- milk\n')), answers('Your list has milk.'));
  await story.says('put milk on my shopping list');
  story.agent(
    does(read('~/lists/shopping.md')),
    does(edit('~/lists/shopping.md', '- milk\n', '- milk\n- bread\n')),
    answers('Milk and bread.'),
  );
  await story.says('and bread');
  expect(await story.file('~/lists/shopping.md')).toBe('- milk\n- bread\n');
  expect((await story.told()).filter((line) => line.startsWith('assistant: '))).toEqual(
    expect.arrayContaining(['assistant: Your list has milk.', 'assistant: Milk and bread.']),
  );
});

test('[P355] something said long ago is found by its words', async () => {
  const story = await Story.begin();
  for (let n = 0; n < 20; n += 1)
    await story.has(
      `~/memory/2026-10-${String(n + 1).padStart(2, '0')}.md`,
      `day ${n}: ${n === 7 ? 'the plumber is Ines' : 'nothing'}`,
    );
  story.agent(does(search('plumber', '~/memory')), answers('Ines.'));
  await story.says('who was the plumber?');
  expect(story.results()[0]?.text).toContain('2026-10-08.md');
});

test('[P355] an agent that read nothing is told by the result, not by hope, what stands in a file', async () => {
  const story = await Story.begin();
  await story.has('~/plan.md', 'leave on Friday');
  story.agent(does(edit('~/plan.md', 'leave on Monday', 'leave on Tuesday')), answers('It says Friday.'));
  await story.says('we leave on Tuesday instead of Monday');
  expect(story.results()).toMatchObject([{ isError: true }]);
  expect(await story.file('~/plan.md')).toBe('leave on Friday');
});

test('[P355] several files are read at once, and each result is with its call', async () => {
  const story = await Story.begin();
  for (const name of ['a', 'b', 'c']) await story.has(`~/${name}.md`, `this is ${name}`);
  story.agent(does(read('~/c.md'), read('~/a.md'), read('~/b.md')), answers('c, a, b'));
  await story.says('read all three');
  expect(story.results().map(({ text }) => text.trim().slice(-1))).toEqual(['c', 'a', 'b']);
});

test('[P355] a file is deleted when the person says so, and not before', async () => {
  const story = await Story.begin();
  await story.has('~/old.md', 'old');
  story.agent(does(erase('~/old.md')), answers('Deleted.'));
  await story.saysAndIsAsked('delete old.md');
  expect(await story.file('~/old.md')).toBe('old');
  await story.decides('approve');
  await story.rests();
  expect(await story.file('~/old.md')).toBe(undefined);
});

test('[P355] a pipeline over one’s own files answers with its output', async () => {
  const story = await Story.begin();
  await story.has('~/log.txt', 'b\na\nb\n');
  story.agent(does(shell('sort ~/log.txt | uniq -c | sort -rn | head -1')), answers('b, twice'));
  await story.says('which line is most frequent?');
  expect(story.results()[0]?.text).toMatch(/2 b[\s\S]*\[exit 0\]/);
});

test('[P355] work on a device is done there, with its output, after approval', async () => {
  const done: string[] = [];
  const story = await Story.begin({
    device: ({ args }) => {
      done.push(String((args as { input: string }).input));
      return prints('12 passed');
    },
  });
  story.agent(does(shell('npm test', 'laptop')), answers('All twelve pass.'));
  await story.saysAndIsAsked('run the tests on my laptop');
  await story.decides('approve');
  await story.rests();
  expect(done).toEqual(['npm test']);
  expect(story.results()).toMatchObject([{ isError: false, text: '12 passed\n[exit 0]' }]);
});

test('[P355] an approval that was remembered is used the next day, and taken back it is not', async () => {
  const story = await Story.begin({ device: () => prints('ok') });
  const push: Move[] = [does(shell('git push', 'laptop')), answers('Pushed.')];
  story.agent(...push);
  await story.saysAndIsAsked('push');
  await story.decides('approve', true);
  await story.rests();
  await story.restarts();
  story.agent(...push);
  await story.says('push again');
  expect(story.room.executed).toHaveLength(2);
  const { approvals } = await story.ask('proc.approval.list', {});
  await story.ask('proc.approval.revoke', { approvalId: approvals[0]?.approvalId ?? '' });
  story.agent(...push);
  await story.saysAndIsAsked('and again');
  await story.decides('deny');
  await story.rests();
  expect(story.room.executed).toHaveLength(2);
});

test('[P355] what the agent is, stands in files that the person edits', async () => {
  const story = await Story.begin();
  await story.has('~/context.d/00-role.md', 'You are a butler called Percy.');
  await story.says('who are you?');
  expect(story.kernel.models.requests.at(-1)?.system).toContain('You are a butler called Percy.');
});

test('[P355] a conversation goes on after days, with what was said', async () => {
  const story = await Story.begin();
  for (let day = 0; day < 5; day += 1) {
    story.agent(answers(`answer ${day}`));
    await story.says(`question ${day}`);
    await story.restarts();
  }
  await story.says('what did I ask?');
  const said = story.kernel.models.requests.at(-1)?.messages.map(({ content }) => JSON.stringify(content));
  for (let day = 0; day < 5; day += 1) expect(said?.join()).toContain(`question ${day}`);
});

test('[P355] an agent that goes round in circles is stopped, and the person is told', async () => {
  const story = await Story.begin();
  await story.has('~/a.md', 'a');
  story.agent(...Array.from({ length: 8 }, (): Move => does(read('~/a.md'))));
  await story.says('think hard');
  const told = await story.told();
  expect(told.at(-1)).toMatch(/^system: /);
  expect(story.kernel.models.requests.length).toBeLessThan(8);
});

test('[P355] two conversations at a time do not mix', async () => {
  const story = await Story.begin();
  const spawned = await story.ask('proc.spawn', { profile: 'task', label: 'Taxes' });
  if (!spawned.ok) throw new Error(spawned.error);
  await Promise.all([story.page.run('about dinner'), story.page.run('about taxes', spawned.pid)]);
  const taxes = await story.page.history(spawned.pid);
  expect(JSON.stringify(taxes.messages)).not.toContain('dinner');
  expect((await story.told()).join()).not.toContain('taxes');
});
