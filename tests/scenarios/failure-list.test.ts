import { describe, expect, test } from 'vitest';
import {
  answers,
  answersLater,
  breaks,
  does,
  type Move,
  prints,
  read,
  Story,
  shell,
  thinks,
} from '../support/story.ts';

/** The list at the end of spec/agent-loop, one by one. */
describe('the agent loop', () => {
  test('[P454] a generation that failed is a note of the system, and its run is told as ended with an error', async () => {
    const story = await Story.begin();
    story.agent(breaks('The key was refused'));
    const { runId } = await story.page.send('hello');
    const { payload } = await story.page.finished(runId);
    expect(payload).toMatchObject({ status: 'error', error: expect.stringContaining('The key was refused') });
    expect(await story.told()).toEqual(['user: hello', expect.stringMatching(/^system: .*key was refused/)]);
    story.agent(answers('I am back.'));
    await story.says('and now?');
    expect(story.sent()).toContain('The key was refused');
    expect((await story.told()).at(-1)).toBe('assistant: I am back.');
  });

  test('[P454] an unknown tool is a failed result, and the others of its message are done', async () => {
    const story = await Story.begin();
    await story.has('~/a.md', 'first');
    story.agent(does({ name: 'Teleport', args: {} }, read('~/a.md')), answers('I read it.'));
    await story.says('go on');
    expect(story.results()).toMatchObject([
      { isError: true, text: expect.stringContaining('Teleport') },
      { isError: false, text: expect.stringContaining('first') },
    ]);
  });

  test('[P454] a denied call, and one that nobody could approve, are failed results that say so', async () => {
    const story = await Story.begin({ device: () => prints('pushed') });
    story.agent(does(shell('git push', 'laptop')), answers('Not pushed.'));
    await story.saysAndIsAsked('push');
    await story.decides('deny');
    await story.rests();
    expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/denied/i) }]);
    const made = await story.ask('proc.spawn', { profile: 'cron' });
    if (!made.ok) throw new Error(made.error);
    story.agentOf(made.pid, does(shell('git push', 'laptop')), answers('Not pushed.'));
    await story.page.run('push', made.pid);
    expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/approv|ask/i) }]);
    expect(story.room.executed).toEqual([]);
  });

  test('[P454] a device that goes away is a failed result, and the run goes on another way', async () => {
    const story = await Story.begin({ device: () => prints('never') });
    await story.trusts();
    await story.has('~/copy.md', 'the copy');
    story.room.report('disconnected', { online: false });
    await story.until(async () => (await story.ask('sys.device.list', {})).devices.length === 0);
    story.agent(does(shell('cat notes', 'laptop')), does(read('~/copy.md')), answers('From the copy.'));
    await story.says('what do the notes say?');
    expect(story.results()).toMatchObject([
      { isError: true, text: expect.stringMatching(/laptop/) },
      { isError: false, text: expect.stringContaining('the copy') },
    ]);
  });

  test('[P454] what comes late of a run that is over changes nothing: a model’s answer', async () => {
    const story = await Story.begin();
    const thinking = thinks(answers('far too late'));
    story.agent(thinking.step);
    await story.page.send('think');
    await thinking.begun;
    await story.ask('proc.abort', {});
    await story.rests();
    await story.says('and now?');
    thinking.goOn();
    await story.says('anything else?');
    expect((await story.told()).join()).not.toContain('far too late');
  });

  test('[P454] what comes late of a run that is over changes nothing: a device’s answer', async () => {
    const held = answersLater(() => prints('far too late'));
    const story = await Story.begin({ device: held.step });
    await story.trusts();
    story.agent(does(shell('make', 'laptop')));
    await story.page.send('make it');
    await held.begun;
    await story.ask('proc.abort', {});
    await story.rests();
    held.goOn();
    await story.says('and now?');
    expect(story.sent()).not.toContain('far too late');
    expect(story.results()).toMatchObject([{ isError: true, text: expect.stringMatching(/interrupted/i) }]);
  });

  test('[P454] what comes late of a run that is over changes nothing: a person’s approval', async () => {
    const story = await Story.begin({ device: () => prints('pushed') });
    story.agent(does(shell('git push', 'laptop')));
    await story.saysAndIsAsked('push');
    const requestId = await story.isAsked();
    await story.ask('proc.abort', {});
    await story.rests();
    expect(await story.ask('proc.hil', { requestId, decision: 'approve' })).toMatchObject({ ok: false });
    await story.says('and now?');
    expect(story.room.executed).toEqual([]);
  });
});

/** Ways in which work does not come to its end, and what must not be made of them. */
const broken: [string, Move[], RegExp][] = [
  [
    'a command that failed half way',
    [does(shell('echo one; cat ~/missing.md; false'))],
    /one[\s\S]*\[exit 1\]/,
  ],
  [
    'a result that was cut',
    [does(shell('seq 1 9999 | sed s/$/-and-some-more-words/'))],
    /left out|truncated|omitted|…/,
  ],
  ['a model that failed afterwards', [does(shell('echo one')), breaks('out of service')], /one/],
];

test.each(broken)('[P454] no progress is made up: %s', async (_name, moves, words) => {
  const story = await Story.begin();
  await story.trusts();
  story.agent(...moves);
  await story.says('work');
  story.agent(answers('I tell what I know.'));
  await story.says('how far are you?');
  expect(story.results()[0]?.text).toMatch(words);
  const said = (await story.told()).filter((line) => line.startsWith('assistant: '));
  for (const line of said) expect(line).toMatch(/toolCall|done|I tell what I know/);
});
