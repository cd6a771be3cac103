import { expect, test } from 'vitest';
import { deferred } from '../../shared/std/deferred.ts';
import { answers, does, prints, Story, shell, thinks } from '../support/story.ts';

test('[P353] a kill right behind a message: it is answered, and once', async () => {
  const story = await Story.begin();
  await story.page.send('are you there?');
  story.kill();
  await story.restarts();
  await story.rests();
  expect(await story.told()).toEqual(['user: are you there?', 'assistant: done']);
});

test('[P353] a kill while the model answers: the answer is asked for again, and there once', async () => {
  const story = await Story.begin();
  const { step, begun } = thinks();
  story.agent(step);
  await story.page.send('think');
  await begun;
  story.kill();
  story.agent(answers('Here it is.'));
  await story.restarts();
  await story.rests();
  expect(await story.told()).toEqual(['user: think', 'assistant: Here it is.']);
});

test('[P353] three kills in a row lose nothing and repeat nothing', async () => {
  const story = await Story.begin();
  const thoughts = [thinks(), thinks(), thinks()];
  story.agent(...thoughts.map(({ step }) => step));
  await story.page.send('be patient');
  for (const { begun } of thoughts) {
    await begun;
    await story.restarts();
  }
  await story.rests();
  expect(await story.told()).toEqual(['user: be patient', 'assistant: done']);
});

test('[P353] an approval given before a kill is used once after it', async () => {
  const story = await Story.begin({ device: () => prints('pushed') });
  story.agent(does(shell('git push', 'laptop')), answers('Pushed.'));
  await story.saysAndIsAsked('push it');
  await story.decides('approve');
  story.kill();
  await story.restarts();
  await story.rests();
  expect(story.room.executed).toHaveLength(1);
  expect((await story.told()).at(-1)).toBe('assistant: Pushed.');
});

test('[P353] a device that answers only after the kernel’s death is not asked to do it twice', async () => {
  const answer = deferred<ReturnType<typeof prints>>();
  const asked = deferred<void>();
  const story = await Story.begin({
    device: () => {
      asked.resolve(undefined);
      return answer.promise;
    },
  });
  await story.trusts();
  story.agent(does(shell('make deploy', 'laptop')), answers('Deployed.'));
  await story.page.send('deploy');
  await asked.promise;
  story.kill();
  answer.resolve(prints('deployed'));
  await story.restarts();
  await story.rests();
  expect(story.room.executed).toHaveLength(1);
  expect(story.results()).toMatchObject([{ isError: false, text: 'deployed\n[exit 0]' }]);
});

test('[P353] messages queued behind a run survive a kill in their order', async () => {
  const story = await Story.begin();
  const { step, begun } = thinks();
  story.agent(step);
  await story.page.send('first');
  await begun;
  for (const text of ['second', 'third']) await story.page.send(text);
  story.kill();
  await story.restarts();
  await story.rests();
  const users = (await story.told()).filter((line) => line.startsWith('user:'));
  expect(users).toEqual(['user: first', 'user: second', 'user: third']);
});

test('[P353] what was reset stays away after a kill', async () => {
  const story = await Story.begin();
  await story.says('the old things');
  await story.ask('proc.reset', {});
  story.kill();
  await story.restarts();
  await story.says('the new things');
  expect(await story.told()).toEqual(['user: the new things', 'assistant: done']);
  expect(story.kernel.models.requests.at(-1)?.messages).toHaveLength(1);
});

test('[P353] settings, remembered approvals and files are as they were', async () => {
  const story = await Story.begin();
  await story.has('~/list.md', 'milk');
  await story.ask('sys.config.set', { key: 'users/1000/ai/max_turns', value: '7' });
  story.agent(does(shell('mkdir -p a')), answers('Made.'));
  await story.saysAndIsAsked('make a');
  await story.decides('approve', true);
  await story.rests();
  await story.restarts();
  expect(await story.file('~/list.md')).toBe('milk');
  story.agent(does(shell('mkdir -p a')), answers('It is there.'));
  await story.says('make a again');
  expect(story.results().at(-1)).toMatchObject({ isError: false });
  const { entries } = await story.ask('sys.config.get', { key: 'users/1000/ai/max_turns' });
  expect(entries).toMatchObject([{ value: '7' }]);
});

test('[P353] a process that was killed by its owner does not come back', async () => {
  const story = await Story.begin();
  const spawned = await story.ask('proc.spawn', { profile: 'task', prompt: 'work' });
  if (!spawned.ok) throw new Error(spawned.error);
  await story.rests();
  await story.ask('proc.kill', { pid: spawned.pid });
  await story.restarts();
  const { processes } = await story.ask('proc.list', {});
  expect(processes.map(({ pid }) => pid)).not.toContain(spawned.pid);
  expect(await story.ask('proc.send', { pid: spawned.pid, message: 'hello' })).toMatchObject({ ok: false });
});

test('[P353] runs of several processes all go on', async () => {
  const story = await Story.begin();
  const thoughts = [thinks(), thinks(), thinks()];
  story.agent(...thoughts.map(({ step }) => step));
  await story.page.send('at home');
  for (const prompt of ['one', 'two']) await story.ask('proc.spawn', { profile: 'task', prompt });
  await Promise.all(thoughts.map(({ begun }) => begun));
  story.kill();
  await story.restarts();
  await story.rests();
  const { processes } = await story.ask('proc.list', {});
  const histories = await Promise.all(processes.map(({ pid }) => story.page.history(pid)));
  expect(histories.map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
});

test('[P353] a command here that a kill cut off is reported as interrupted, not as done', async () => {
  const story = await Story.begin();
  await story.trusts();
  story.agent(does(shell('sleep 20; echo late > ~/late.md')), answers('It was cut off.'));
  const { runId } = await story.page.send('take your time');
  await story.page.heard(
    ({ signal, payload }) => signal === 'proc.run.tool.started' && payload.runId === runId,
  );
  story.kill();
  await story.restarts();
  await story.rests();
  expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/interrupted/i) }]);
  expect(await story.file('~/late.md')).toBe(undefined);
});
