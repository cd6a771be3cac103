import { expect, test } from 'vitest';
import type { Args } from '../../shared/syscalls/table.ts';
import { answers, breaks, does, prints, read, Story, shell, thinks } from '../support/story.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;
const PID = 'init:1000';

const cron = (expr: string, timezone: string) => ({ kind: 'cron', expr, timezone }) as const;
const tell = (message: string) => ({ kind: 'process.event', pid: PID, message }) as const;

async function plan(story: Story, schedule: Partial<Args<'sched.add'>>): Promise<string> {
  const {
    name = 'plan',
    expression = { kind: 'every', everyMs: HOUR },
    target = tell('tick'),
    ...rest
  } = schedule;
  // The person's own process begins when it is first looked at.
  await story.page.history();
  const made = await story.ask('sched.add', { name, expression, target, ...rest });
  return made.schedule.id;
}

/** When the runs of a schedule were due, and what came of them, oldest first. */
async function runs(story: Story, id: string): Promise<string[]> {
  const { runs: kept } = await story.ask('sched.history', { id });
  return kept.reverse().map(({ dueMs, cause, status }) => `${iso(dueMs)} ${cause} ${status}`);
}
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const ran = (story: Story, id: string, count: number) =>
  story.until(async () => (await runs(story, id)).length >= count);
const events = async (story: Story, pid?: string): Promise<string[]> =>
  (await story.told(pid)).filter((line) => line.includes('[Process Event]: Schedule'));

/** Time passes in steps, so that what a tick begins goes on in between. */
async function lives(story: Story, ms: number, step = HOUR): Promise<void> {
  for (let past = 0; past < ms; past += step) {
    await story.passes(step);
    await story.rests();
  }
}

async function off(story: Story, ms: number): Promise<void> {
  story.kill();
  await story.passes(ms);
  await story.restarts();
}

test('[P452] a reminder that the agent set in another zone comes once, after three restarts', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await story.trusts();
  const command = 'sched add --name Call --at 2026-06-02T09:00 --tz Asia/Tokyo --tell "call Yui"';
  story.agent(does(shell(command)), answers('I shall remind you.'));
  await story.says('remind me to call Yui tomorrow at nine, Tokyo time');
  expect(story.results()[0]?.text).toContain('2026-06-02T00:00:00Z');
  for (let restart = 0; restart < 3; restart += 1) await off(story, 4 * HOUR);
  expect(await events(story)).toEqual([]);
  await lives(story, 12 * HOUR);
  await off(story, DAY);
  await lives(story, DAY);
  expect(await events(story)).toEqual([expect.stringContaining('call Yui')]);
});

test.each([
  ['that leaves it out', '2026-03-27T12:00:00Z', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
  ['that has it twice', '2026-10-23T12:00:00Z', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
])('[P452] what comes daily at 02:30 in Berlin comes once on the night %s', async (_name, from, due) => {
  const story = await Story.beginAt(from);
  const id = await plan(story, { expression: cron('30 2 * * *', 'Europe/Berlin') });
  await lives(story, 3 * DAY);
  expect(await runs(story, id)).toEqual(due.map((at) => `2026-${at} due ok`));
  expect(await events(story)).toHaveLength(3);
});

test('[P452] what was missed while off is made up for once, or not at all, as it says', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  const once = await plan(story, { target: tell('once') });
  const skip = await plan(story, { target: tell('skipped'), misfirePolicy: 'skip' });
  await off(story, 5 * HOUR + MINUTE);
  await ran(story, once, 1);
  await ran(story, skip, 1);
  expect(await runs(story, once)).toEqual(['2026-06-01T09:00 late ok']);
  expect(await runs(story, skip)).toEqual(['2026-06-01T09:00 late skipped']);
  await story.rests();
  expect(await events(story)).toEqual([expect.stringContaining('once')]);
});

test('[P452] what still waits for its person is not begun a second time', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z', { device: () => prints('pushed') });
  const id = await plan(story, { target: tell('push the notes') });
  story.agent(does(shell('git push', 'laptop')), answers('Pushed.'));
  await story.passes(3 * HOUR + MINUTE);
  await ran(story, id, 3);
  expect((await runs(story, id)).map((run) => run.split(' ').at(-1))).toEqual(['ok', 'skipped', 'skipped']);
  await story.decides('approve');
  await story.rests();
  expect(story.room.executed).toHaveLength(1);
  expect(await events(story)).toHaveLength(1);
});

test('[P452] what fails again and again is told of once, and again only after it has succeeded', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  const id = await plan(story, { name: 'Backup', target: { kind: 'shell.exec', input: 'cat ~/disk.md' } });
  const notices = async () => (await story.ask('notification.list', {})).notifications.length;
  const until = async (count: number): Promise<number> => {
    await story.passes(HOUR);
    await ran(story, id, count);
    return notices();
  };
  expect([await until(1), await until(2), await until(3)]).toEqual([1, 1, 1]);
  await story.has('~/disk.md', 'there');
  expect(await until(4)).toBe(1);
  await story.ask('shell.exec', { input: 'rm ~/disk.md' });
  expect(await until(5)).toBe(2);
});

test('[P452] a process that a schedule started and that failed is not called done', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  const id = await plan(story, { name: 'Digest', target: { kind: 'process.spawn', prompt: 'sum up' } });
  story.agent(breaks('The key was refused'));
  await story.passes(HOUR + MINUTE);
  await story.until(async () => (await runs(story, id)).join().includes('error'));
  const { notifications } = await story.ask('notification.list', {});
  expect(notifications).toMatchObject([{ title: 'The schedule “Digest” failed', level: 'error' }]);
});

test('[P452] what a scheduled agent may not do without asking is not done, and it is told so', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z', { device: () => prints('gone') });
  await plan(story, { target: { kind: 'process.spawn', prompt: 'tidy up' } });
  story.agent(does(shell('rm -rf build', 'laptop')), answers('I may not.'));
  await story.passes(HOUR + MINUTE);
  await story.until(async () => story.sent().includes('toolResult'));
  expect(story.room.executed).toEqual([]);
  expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/approv|nobody/i) }]);
});

test('[P452] a command that a kill cut off is reported as interrupted, and the next fire comes at its time', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  const id = await plan(story, { target: { kind: 'shell.exec', input: 'sleep 25; echo copied' } });
  await story.passes(HOUR + 1_000);
  await off(story, 10 * MINUTE);
  await ran(story, id, 1);
  const { runs: kept } = await story.ask('sched.history', { id });
  expect(kept).toMatchObject([{ status: 'error', note: expect.stringContaining('Interrupted') }]);
  expect((await story.ask('sched.list', {})).schedules[0]?.state.nextRunAtMs).toBe(
    Date.parse('2026-06-01T10:00:00Z'),
  );
});

test('[P452] a heartbeat asks no model while there is nothing to do, and asks when there is', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await plan(story, { target: { ...tell('look'), unlessEmpty: '~/HEARTBEAT.md' } });
  await story.has('~/HEARTBEAT.md', '# Tasks\n');
  await lives(story, 5 * HOUR);
  expect(story.kernel.models.requests).toEqual([]);
  await story.has('~/HEARTBEAT.md', '# Tasks\n- water the plants\n');
  await story.passes(HOUR + MINUTE);
  await story.until(async () => (await events(story)).length === 1);
  await story.rests();
  expect(story.sent()).toContain('water the plants');
  expect(story.kernel.models.requests).toHaveLength(1);
});

test('[P452] a reminder that the person took away never comes', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  const id = await plan(story, { expression: { kind: 'after', afterMs: 2 * HOUR } });
  await story.passes(HOUR);
  await story.ask('sched.remove', { id });
  await off(story, DAY);
  await lives(story, DAY);
  expect(await events(story)).toEqual([]);
});

test('[P452] a schedule that comes while its person is talking waits its turn, and neither is lost', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await plan(story, { target: tell('stretch your legs') });
  const thinking = thinks(answers('an answer'));
  story.agent(thinking.step, answers('Stretch your legs.'));
  await story.page.send('a question');
  await thinking.begun;
  await story.passes(HOUR + MINUTE);
  thinking.goOn();
  await story.rests();
  expect(await story.told()).toEqual([
    'user: a question',
    'assistant: an answer',
    expect.stringContaining('stretch your legs'),
    'assistant: Stretch your legs.',
  ]);
});

test('[P452] a used-up budget of the day stops what schedules begin, and the next day they go on', async () => {
  const story = await Story.beginAt('2026-06-01T08:30:00Z');
  await story.ask('sys.config.set', { key: 'users/1000/ai/budget/day_tokens', value: '200' });
  const id = await plan(story, { expression: { kind: 'every', everyMs: 3 * HOUR } });
  await lives(story, DAY, 3 * HOUR);
  const ends = (await runs(story, id)).map((run) => run.split(' ').at(-1));
  const stopped = ['error', 'error', 'error'];
  expect(ends).toEqual(['ok', 'ok', ...stopped, 'ok', 'ok', 'error']);
  expect(story.kernel.models.requests).toHaveLength(4);
});

test('[P452] what a scheduled command printed is in no notification', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await story.has('~/passwords.md', 'bank: hunter2-7f3a9c');
  const id = await plan(story, { target: { kind: 'shell.exec', input: 'cat ~/passwords.md; exit 3' } });
  await story.passes(HOUR);
  await ran(story, id, 1);
  const { notifications } = await story.ask('notification.list', {});
  expect(notifications).toHaveLength(1);
  expect(JSON.stringify(notifications)).not.toContain('hunter2');
  const { runs: kept } = await story.ask('sched.history', { id });
  expect(kept[0]?.note).toContain('hunter2');
});

test('[P452] a file is read by what a schedule tells, as if its person had asked', async () => {
  const story = await Story.beginAt('2026-06-01T08:00:00Z');
  await story.has('~/shopping.md', 'milk');
  await plan(story, { target: tell('what is on the list?') });
  story.agent(does(read('~/shopping.md')), answers('Milk.'));
  await story.passes(HOUR + MINUTE);
  await story.until(async () => (await story.told()).at(-1) === 'assistant: Milk.');
  expect(story.results()[0]?.text).toContain('milk');
});
