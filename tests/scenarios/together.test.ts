import { expect, test } from 'vitest';
import { answers, breaks, does, type Move, prints, Story, shell, thinks } from '../support/story.ts';

const HOME = 'init:1000';
const MINUTE = 60_000;

/** What a process was told by the kernel, without the common beginning. */
async function events(story: Story, pid = HOME): Promise<string[]> {
  const beginning = 'user: [Process Event]: ';
  const told = await story.told(pid);
  return told.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length));
}
const isTold = (story: Story, count: number, pid = HOME) =>
  story.until(async () => {
    const told = await events(story, pid);
    return told.length >= count ? told : undefined;
  });
const calls = (pid: string, words: string, seconds = 60): Move =>
  does(shell(`proc call ${pid} --timeout ${seconds} ${words}`));
const delegates = (words: string): Move => does(shell(`proc delegate --label Helper ${words}`));

/** The agent of the person has one child, whose moves are these. */
async function withChild(story: Story, ...moves: Move[]): Promise<void> {
  story.agentOf(HOME, delegates('count the files'), answers('I wait.'), answers('I see.'));
  story.agent(...moves);
}
async function childOf(story: Story): Promise<string> {
  const { processes } = await story.ask('proc.list', {});
  return processes.find(({ parentPid }) => parentPid === HOME)?.pid ?? 'no child';
}

async function ring(count: number): Promise<{ story: Story; pids: string[] }> {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await story.trusts();
  const pids: string[] = [];
  for (let at = 0; at < count; at += 1) pids.push(await story.spawns(`Ring ${at}`));
  for (const [at, pid] of pids.entries())
    story.agentOf(pid, calls(pids[(at + 1) % count] ?? '', 'you first', 30), answers('I wait.'));
  story.agentOf(HOME, calls(pids[0] ?? '', 'solve it', 300), answers('I have asked.'));
  return { story, pids };
}

test.each([2, 3])(
  '[P453] a ring of %d that ask each other ends by timeout, and then costs nothing',
  async (count) => {
    const { story, pids } = await ring(count);
    await story.says('go');
    for (let past = 0; past < 8; past += 1) await story.passes(MINUTE);
    const told = await isTold(story, 1);
    expect(told).toHaveLength(1);
    const inside = (await Promise.all(pids.map((pid) => events(story, pid)))).flat();
    expect(inside.some((event) => event.startsWith('ipc.timeout'))).toBe(true);
    await story.rests();
    const asked = story.kernel.models.requests.length;
    await story.passes(60 * MINUTE);
    await story.rests();
    expect(story.kernel.models.requests).toHaveLength(asked);
  },
);

test('[P453] a kill in the middle of a ring: each caller hears of its end exactly once', async () => {
  const { story } = await ring(2);
  await story.says('go');
  await story.passes(5_000);
  await story.restarts();
  for (let past = 0; past < 8; past += 1) await story.passes(MINUTE);
  await isTold(story, 1);
  await story.rests();
  expect(await events(story)).toHaveLength(1);
});

/** A person has asked, and the child that was given the question thinks. */
async function asksChild(): Promise<Story> {
  const story = await Story.begin();
  await story.trusts();
  const thinking = thinks();
  await withChild(story, thinking.step);
  await story.page.send('how many files are there?');
  await thinking.begun;
  return story;
}

test('[P453] what a child found comes back once, over a kill of both', async () => {
  const story = await asksChild();
  story.agent(answers('There are 12.'));
  await story.restarts();
  await isTold(story, 1);
  await story.rests();
  expect(await events(story)).toEqual([expect.stringMatching(/^delegate\.result [\s\S]*There are 12\.$/)]);
  expect((await story.told()).at(-1)).toBe('assistant: I see.');
});

test('[P453] a child that failed is reported as failed, in the words of its failure', async () => {
  const story = await Story.begin();
  await story.trusts();
  await withChild(story, breaks('The key was refused'));
  await story.says('how many files are there?');
  const [report] = await isTold(story, 1);
  expect(report).toMatch(/“Helper” failed\n\nThe key was refused/);
  expect(report).not.toMatch(/answered/);
});

test('[P453] what a child would need approval for, its person is asked, and a denial stops it there', async () => {
  const story = await Story.begin({ device: () => prints('gone') });
  await story.ask('sys.config.set', {
    key: 'users/1000/ai/tools/approval',
    value: '{"default":"auto","rules":[{"match":"shell.exec","when":{"target":"device"},"action":"ask"}]}',
  });
  await withChild(story, does(shell('rm -rf build', 'laptop')), answers('I was not allowed to.'));
  await story.says('tidy up');
  const child = await story.until(async () => {
    const pid = await childOf(story);
    const read = await story.ask('proc.history', { pid });
    return read.ok && read.pendingHil ? { pid, requestId: read.pendingHil.requestId } : undefined;
  });
  await story.ask('proc.hil', { ...child, decision: 'deny' });
  const [report] = await isTold(story, 1);
  expect(report).toContain('I was not allowed to.');
  expect(story.room.executed).toEqual([]);
});

test('[P453] a child that is stopped is not waited for', async () => {
  const story = await asksChild();
  await story.until(async () => (await story.told()).at(-1) === 'assistant: I wait.');
  await story.ask('proc.kill', { pid: await childOf(story) });
  const [report] = await isTold(story, 1);
  expect(report).toMatch(/stopped|can answer no more/);
  expect(report).not.toMatch(/answered/);
});

test('[P453] a child knows nothing of its parent’s conversation but what it was given', async () => {
  const story = await Story.begin();
  await story.trusts();
  await story.says('my password is hunter2-7f3a9c');
  let child = '';
  await withChild(story, (request, turn) => {
    child = JSON.stringify(request);
    return answers('12')(request, turn);
  });
  await story.says('how many files are there?');
  await isTold(story, 1);
  expect(child).toContain('count the files');
  expect(child).not.toContain('hunter2');
});

test('[P453] a person who speaks while a child works is answered, and its report comes after', async () => {
  const story = await Story.begin();
  await story.trusts();
  const thinking = thinks(answers('There are 12.'));
  story.agentOf(HOME, delegates('count'), answers('I wait.'), answers('It is noon.'), answers('Twelve.'));
  story.agent(thinking.step);
  await story.says('how many files are there?');
  await thinking.begun;
  await story.says('what time is it?');
  thinking.goOn();
  await story.until(async () => (await story.told()).at(-1) === 'assistant: Twelve.');
  const told = await story.told();
  expect(told.indexOf('assistant: It is noon.')).toBe(told.indexOf('user: what time is it?') + 1);
});
