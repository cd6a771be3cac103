import { expect, test } from 'vitest';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { fails } from '../support/scripted-models.ts';
import { answers, type Device, does, edit, type Made, prints, read, Story, shell } from '../support/story.ts';

/** What fails, and the words in which the model must hear of it. */
const failing: [string, Made, RegExp][] = [
  ['a file that is not there', read('~/missing.md'), /no such file|not found|does not exist/i],
  ['a directory read as a file’s lines', edit('~/context.d', 'a', 'b'), /directory/i],
  ['an edit whose text is not there', edit('~/list.md', 'bread', 'cake'), /not found|no match/i],
  ['an edit whose text is there twice', edit('~/list.md', 'milk', 'oats'), /2|twice|more than/i],
  ['a file of somebody else', read('/etc/shadow'), /permission/i],
  ['a path with a NUL', read('a\0b'), /NUL|null|path/i],
  ['a tool that does not exist', { name: 'Teleport', args: {} }, /Teleport/],
  ['an argument that is missing', { name: 'Read', args: { target: 'gsv' } }, /path/],
  ['an argument that nobody knows', { name: 'Read', args: { ...read('a').args, colour: 1 } }, /colour/],
  ['a command that does not exist', shell('frobnicate'), /not found[\s\S]*\[exit 127\]/],
  ['a command that fails', shell('cat ~/missing.md'), /\[exit 1\]/],
  ['a loop without an end', shell('while true; do :; done'), /iteration|limit|too many/i],
];

test.each(failing)('[P351] the model hears what failed, as it failed: %s', async (_name, call, words) => {
  const story = await Story.begin();
  await story.has('~/list.md', 'milk\nmilk\n');
  await story.trusts();
  story.agent(does(call), answers('That did not work.'));
  await story.says('go on');
  const [result] = story.results();
  expect(result?.text).toMatch(words);
  expect(result?.text).not.toMatch(/"ok":true/);
  expect(await story.file('~/list.md')).toBe('milk\nmilk\n');
  expect((await story.told()).at(-1)).toBe('assistant: That did not work.');
});

const deviceFailures: [string, Device, RegExp][] = [
  [
    'a device that refuses',
    () => {
      throw new SyscallError(403, 'This machine allows no shell');
    },
    /allows no shell \(403\)/,
  ],
  ['a command that ends badly', () => prints('make: *** error\n', 2), /error\n\[exit 2\]/],
  [
    'a command that could not begin',
    () => ({ data: { status: 'failed', output: '', error: 'spawn ENOENT' } }),
    /spawn ENOENT/,
  ],
  ['an answer of another shape', () => ({ data: { fine: true } }), /\(5\d\d\)|unexpected|malformed|invalid/i],
];

test.each(deviceFailures)('[P351] of a device, too: %s', async (_name, device, words) => {
  const story = await Story.begin({ device });
  story.agent(does(shell('ls', 'laptop')), answers('It did not work there.'));
  await story.says('look there');
  expect(story.results()[0]?.text).toMatch(words);
});

test('[P351] a device that is not there is named', async () => {
  const story = await Story.begin({ device: () => prints('') });
  story.agent(does(shell('ls', 'desktop')), answers('There is no such device.'));
  await story.says('look there');
  expect(story.results()).toMatchObject([{ isError: true, text: expect.stringContaining('desktop') }]);
});

test('[P351] a provider that fails ends the run with its words; nothing is said for it', async () => {
  const story = await Story.begin();
  story.agent(() => fails('The key was refused', false));
  await story.says('hello');
  const told = await story.told();
  expect(told.at(-1)).toMatch(/^system: .*The key was refused/);
  expect(told.filter((line) => line.startsWith('assistant:'))).toEqual([]);
});

test('[P351] a provider that fails behind a tool call keeps what the tool did', async () => {
  const story = await Story.begin();
  story.agent(does(shell('echo kept > ~/kept.md')), () => fails('out of service', false));
  await story.saysAndIsAsked('write it');
  await story.decides('approve');
  await story.rests();
  expect(await story.file('~/kept.md')).toBe('kept\n');
  story.agent(answers('It is written.'));
  await story.ask('proc.retry', {});
  await story.rests();
  expect((await story.told()).at(-1)).toBe('assistant: It is written.');
  expect(story.results()).toHaveLength(1);
});

test('[P351] one failed call of three leaves the others as they are', async () => {
  const story = await Story.begin();
  await story.has('~/a.md', 'first');
  story.agent(does(read('~/a.md'), read('~/missing.md'), read('~/a.md')), answers('Two of three.'));
  await story.says('read them');
  expect(story.results().map(({ isError }) => isError)).toEqual([false, true, false]);
});
