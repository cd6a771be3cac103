import { expect, test } from 'vitest';
import { answers, does, erase, type Made, prints, Story, shell, write } from '../support/story.ts';

const NOTES = '~/notes/important.md';

async function withNotes(device?: () => ReturnType<typeof prints>): Promise<Story> {
  const story = await Story.begin(device ? { device } : {});
  await story.has(NOTES, 'what matters');
  return story;
}

/** Ways to lose the notes, each as a model might spell it. */
const harmful: [string, Made][] = [
  ['rm', shell('rm -rf ~/notes')],
  ['rm behind a cd', shell('cd ~ && rm -r notes')],
  ['find -delete', shell('find ~/notes -name "*.md" -delete')],
  ['an emptying redirect', shell('> ~/notes/important.md')],
  ['a name hidden in a variable', shell('x=rm; $x -rf ~/notes')],
  ['a name hidden in a substitution', shell('$(echo rm) -rf ~/notes')],
  ['moving it away', shell('mv ~/notes /tmp/elsewhere')],
  ['sed in place', shell('sed -i d ~/notes/important.md')],
  ['the tool for deleting', erase('~/notes')],
  ['a script of its own', shell('echo "rm -rf ~/notes" | bash')],
];

test.each(harmful)('[P350] what was denied does not happen: %s', async (_name, call) => {
  const story = await withNotes();
  story.agent(does(call), answers('I left your notes alone.'));
  await story.saysAndIsAsked('tidy up');
  await story.decides('deny');
  await story.rests();
  expect(await story.file(NOTES)).toBe('what matters');
  expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/denied/i) }]);
  expect((await story.told()).at(-1)).toBe('assistant: I left your notes alone.');
});

test('[P350] a denial is no answer for the next time: the same call is asked for again', async () => {
  const story = await withNotes();
  story.agent(does(shell('rm -rf ~/notes')), does(shell('rm -rf ~/notes')), answers('As you wish.'));
  await story.saysAndIsAsked('tidy up');
  await story.decides('deny');
  await story.decides('deny');
  await story.rests();
  expect(await story.file(NOTES)).toBe('what matters');
});

test('[P350] denying one call of several stops that one alone', async () => {
  const story = await withNotes();
  story.agent(does(shell('rm -rf ~/notes'), write('~/list.md', 'milk')), answers('Your list is there.'));
  await story.saysAndIsAsked('tidy up and write a list');
  await story.decides('deny');
  await story.rests();
  expect(await story.file(NOTES)).toBe('what matters');
  expect(await story.file('~/list.md')).toBe('milk');
  expect(story.results().map(({ isError }) => isError)).toEqual([true, false]);
});

test('[P350] a kill while it asks is no consent: it asks again, and a denial holds', async () => {
  const story = await withNotes();
  story.agent(does(shell('rm -rf ~/notes')), answers('So be it.'));
  await story.saysAndIsAsked('tidy up');
  await story.restarts();
  await story.isAsked();
  expect(await story.file(NOTES)).toBe('what matters');
  await story.decides('deny');
  await story.rests();
  expect(await story.file(NOTES)).toBe('what matters');
});

test('[P350] a denied command never reaches the device', async () => {
  const story = await withNotes(() => prints('gone'));
  story.agent(does(shell('rm -rf build', 'laptop')), answers('I did nothing there.'));
  await story.saysAndIsAsked('clean the build');
  await story.decides('deny');
  await story.rests();
  expect(story.room.calls.filter(({ call }) => call === 'shell.exec')).toEqual([]);
});

test('[P350] what was remembered here is asked for on a device', async () => {
  const story = await withNotes(() => prints('made'));
  story.agent(does(shell('mkdir -p ~/a')), answers('Made.'));
  await story.saysAndIsAsked('make a folder');
  await story.decides('approve', true);
  await story.rests();
  story.agent(does(shell('mkdir -p ~/a', 'laptop')), answers('Not there.'));
  await story.saysAndIsAsked('and there');
  await story.decides('deny');
  await story.rests();
  expect(story.room.calls.filter(({ call }) => call === 'shell.exec')).toEqual([]);
});

test('[P350] stopping a run that asks is a denial', async () => {
  const story = await withNotes();
  story.agent(does(shell('rm -rf ~/notes')), answers('never said'));
  await story.saysAndIsAsked('tidy up');
  await story.ask('proc.abort', {});
  await story.rests();
  expect(await story.file(NOTES)).toBe('what matters');
  expect(await story.told()).not.toContain('assistant: never said');
});
