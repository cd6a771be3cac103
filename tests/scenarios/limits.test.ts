import { expect, test } from 'vitest';
import { streamOf } from '../../shared/protocol/streams.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import { png } from '../support/png.ts';
import { answers, does, prints, read, Story, shell, thinks } from '../support/story.ts';

const HOME = 'init:1000';
const budget = (story: Story, name: string, value: string) =>
  story.ask('sys.config.set', { key: `users/1000/ai/budget/${name}`, value });

/** Stores a picture for a message. */
async function picture(story: Story): Promise<{ path: string }> {
  const bytes = new Uint8Array(png(8, 8, new Uint8Array(8 * 8 * 3).fill(7)));
  const { data } = await story.page.peer.call(
    'proc.media.put',
    { name: 'cat.png' },
    { stream: streamOf(bytes) },
  );
  const stored = data as Result<'proc.media.put'>;
  if (!stored.ok) throw new Error(stored.error);
  return { path: stored.media.path };
}
/** Sends a message with a picture; resolves with its run. */
async function shows(story: Story, message: string): Promise<string> {
  const sent = await story.ask('proc.send', { message, media: [await picture(story)] });
  if (!sent.ok) throw new Error(sent.error);
  return sent.runId;
}
const lastRequest = (story: Story): string => JSON.stringify(story.kernel.models.requests.at(-1)?.messages);
const asksWith = async (story: Story, conversationId: string, message: string): Promise<void> => {
  const sent = await story.ask('proc.send', { conversationId, message });
  if (!sent.ok) throw new Error(sent.error);
  await story.page.finished(sent.runId);
};
/** Forks the conversation through a message, the newest unless another is named. */
async function forks(story: Story, messageId?: number): Promise<string> {
  const newest = (await story.page.history()).messages.at(-1)?.id ?? 0;
  const forked = await story.ask('proc.conversation.fork', { throughMessageId: messageId ?? newest });
  if (!forked.ok) throw new Error(forked.error);
  return forked.targetConversation.id;
}

test('[P455] a run that a budget stopped goes on where it was, and does nothing twice', async () => {
  const story = await Story.begin({ device: () => prints('built') });
  await story.trusts();
  await budget(story, 'run_tokens', '100');
  story.agent(does(shell('make', 'laptop')), answers('Built.'));
  await story.says('build it');
  expect((await story.told()).at(-1)).toMatch(/^system: .*budget of one run/);
  const more = await story.ask('proc.continue', { raise: { tokens: 1_000 } });
  if (!more.ok) throw new Error(more.error);
  await story.page.finished(more.runId);
  expect((await story.told()).at(-1)).toBe('assistant: Built.');
  expect(story.room.executed).toHaveLength(1);
});

test('[P455] a stop by a budget outlives a kill, and is said once', async () => {
  const story = await Story.begin();
  await budget(story, 'process_tokens', '100');
  await story.says('one');
  await story.says('two');
  const asked = story.kernel.models.requests.length;
  await story.restarts();
  await story.rests();
  expect(story.kernel.models.requests).toHaveLength(asked);
  const notes = (await story.told()).filter((line) => line.startsWith('system: '));
  expect(notes).toEqual([expect.stringContaining('budget of this process')]);
});

test('[P455] a child that reaches the budget of the day is reported as stopped by it', async () => {
  const story = await Story.begin();
  await story.trusts();
  await budget(story, 'day_tokens', '200');
  story.agentOf(HOME, does(shell('proc delegate --label Helper count')), answers('I wait.'));
  story.agent(does(read('~/context.d')), answers('never asked'));
  await story.says('how many?');
  const told = await story.until(async () =>
    (await story.told()).find((line) => line.includes('delegate.result')),
  );
  expect(told).toMatch(/“Helper” failed[\s\S]*budget of the day/);
});

test('[P455] a picture is seen again after a restart, and in a fork, and is archived with what named it', async () => {
  const story = await Story.begin();
  await story.page.history();
  await story.page.finished(await shows(story, 'what is this?'));
  expect(lastRequest(story)).toContain('"type":"image"');
  await story.restarts();
  const fork = await forks(story);
  await asksWith(story, fork, 'and in the fork?');
  expect(lastRequest(story)).toContain('"type":"image"');
  const reset = await story.ask('proc.reset', {});
  expect(reset).toMatchObject({ ok: true });
  const kept = await story.ask('shell.exec', { input: 'ls -R /var/sessions/ada' });
  expect('output' in kept && kept.output).toContain('cat.png');
  await story.says('and now?');
  expect(lastRequest(story)).not.toContain('"type":"image"');
});

test('[P455] a picture that waits behind a run is seen after a kill', async () => {
  const story = await Story.begin();
  const thinking = thinks();
  story.agent(thinking.step);
  await story.page.send('think');
  await thinking.begun;
  await shows(story, 'and this?');
  await story.restarts();
  await story.rests();
  expect((await story.told()).filter((line) => line.startsWith('user: '))).toHaveLength(2);
  expect(lastRequest(story)).toContain('"type":"image"');
});

test('[P455] a fork in the middle of a run holds no half of a call, and the run ends as if nothing had been', async () => {
  const story = await Story.begin({ device: () => prints('pushed') });
  await story.says('hello');
  story.agent(does(shell('git push', 'laptop')), answers('Pushed.'));
  await story.saysAndIsAsked('push it');
  const fork = await forks(story);
  const asked = asksWith(story, fork, 'what were we at?');
  await story.decides('approve');
  await asked;
  await story.rests();
  expect((await story.told()).at(-1)).toBe('assistant: Pushed.');
  expect(story.room.executed).toHaveLength(1);
  const forked = await story.ask('proc.history', { conversationId: fork });
  expect(forked.ok && JSON.stringify(forked.messages)).not.toContain('toolCall');
});

test('[P455] a message is asked differently in a fork, killed in between, and both go on apart', async () => {
  const story = await Story.begin();
  story.agent(answers('In spring.'), answers('In autumn.'), answers('Apples.'));
  await story.says('when to plant?');
  const [first] = (await story.page.history()).messages;
  const fork = await forks(story, first?.id);
  await story.restarts();
  await asksWith(story, fork, 'and in the south?');
  await story.says('what?');
  expect(await story.told()).toEqual([
    'user: when to plant?',
    'assistant: In spring.',
    'user: what?',
    'assistant: Apples.',
  ]);
  const forked = await story.ask('proc.history', { conversationId: fork });
  expect(forked.ok && JSON.stringify(forked.messages)).toMatch(/when to plant.*in the south.*In autumn/);
});

test('[P455] a run that a limit of model calls stopped is continued, and stops there again', async () => {
  const story = await Story.begin();
  await story.has('~/a.md', 'a');
  await story.ask('sys.config.set', { key: 'users/1000/ai/max_turns', value: '2' });
  const looks = (n: number) => does({ name: 'Read', args: { target: 'gsv', path: '~/a.md', limit: n } });
  story.agent(looks(1), looks(2), looks(3), answers('I have seen it.'));
  await story.says('look');
  expect((await story.told()).at(-1)).toMatch(/^system: Stopped after 2 model calls/);
  const more = await story.ask('proc.continue', {});
  if (!more.ok) throw new Error(more.error);
  await story.page.finished(more.runId);
  expect((await story.told()).at(-1)).toBe('assistant: I have seen it.');
});

test('[P455] nobody but its person raises a budget or continues a run', async () => {
  const story = await Story.begin();
  await story.trusts();
  await budget(story, 'day_tokens', '100000');
  story.agent(
    does(shell('echo 999999999 > /sys/config/users/1000/ai/budget/day_tokens; sched list')),
    answers('I could not.'),
  );
  await story.says('give yourself more');
  const { entries } = await story.ask('sys.config.get', { key: 'users/1000/ai/budget/day_tokens' });
  expect(entries).toMatchObject([{ value: '100000' }]);
});
