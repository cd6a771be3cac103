import { describe, expect, test } from 'vitest';
import { deferred } from '../../shared/std/deferred.ts';
import type { InputMode } from '../../shared/syscalls/proc.ts';
import {
  answers,
  answersLater,
  breaks,
  does,
  type Held,
  type Move,
  prints,
  read,
  Story,
  shell,
  thinks,
} from '../support/story.ts';

const END = 'assistant: finished';
const CALLED = 'assistant: toolCall';
const RESULT = expect.stringMatching(/^toolResult: /);

/** A story that stands at one point of a run. */
type Point = { story: Story; goOn(): void | Promise<void> };
/** `joins`: there is a boundary of tool results ahead, and what stands before it. */
type Place = { name: string; reach(): Promise<Point>; before: unknown[]; joins: boolean };

const onLaptop = (input = 'make') => shell(input, 'laptop');

async function standing(story: Story, held: Pick<Held<unknown>, 'begun' | 'goOn'>): Promise<Point> {
  await story.page.send('work');
  await held.begun;
  return { story, goOn: held.goOn };
}

async function inModel(held: Held<Move>, before: Move[] = [], after: Move[] = []): Promise<Point> {
  const story = await Story.begin();
  await story.has('~/a.md', 'a');
  story.agent(...before, held.step, ...after);
  return standing(story, held);
}

async function onDevice(...commands: string[]): Promise<Point> {
  const held = answersLater(() => prints('made'));
  const last = commands.at(-1);
  const story = await Story.begin({
    device: (call) => ((call.args as { input?: string }).input === last ? held.step(call) : prints('quick')),
  });
  await story.trusts();
  story.agent(does(...commands.map((input) => onLaptop(input))), answers('finished'));
  return standing(story, held);
}

async function beforeTheModel(): Promise<Point> {
  const story = await Story.begin();
  const described = deferred<void>();
  story.kernel.models.described = described.promise;
  story.agent(answers('finished'));
  await story.page.send('work');
  return { story, goOn: () => described.resolve(undefined) };
}

async function asking(): Promise<Point> {
  const story = await Story.begin({ device: () => prints('pushed') });
  story.agent(does(onLaptop('git push')), answers('finished'));
  await story.saysAndIsAsked('work');
  const stands = async () =>
    (await story.ask('proc.list', {})).processes
      .map(({ state }) => state)
      .find((state) => state !== 'running');
  const goOn = async (): Promise<void> => {
    if ((await story.until(stands)) === 'waiting') await story.decides('approve');
  };
  return { story, goOn };
}

/** The run compacts before it asks the model, and the summary takes its time. */
async function compacting(): Promise<Point> {
  const story = await Story.begin();
  await story.ask('sys.config.set', { key: 'users/1000/ai/context_window', value: '16000' });
  story.agent(answers('long '.repeat(3_000)));
  await story.says('hello');
  await story.says('and');
  const policy = { overflow: 'auto-compact', compactAtPressure: 0.4, keepLast: 3 } as const;
  await story.ask('proc.conversation.policy.set', policy);
  const held = thinks(answers('it was long'));
  story.agent(held.step, answers('finished'));
  return standing(story, held);
}

async function tryingAgain(): Promise<Point> {
  const story = await Story.beginAt('2026-11-22T08:00:00Z');
  const failed = deferred<void>();
  const failing: Move = (request, turn) => {
    failed.resolve(undefined);
    return breaks('overloaded', true)(request, turn);
  };
  story.agent(failing, answers('finished'));
  return standing(story, { begun: failed.promise, goOn: () => story.passes(120_000) });
}

const places: Place[] = [
  { name: 'before the model is asked', reach: beforeTheModel, before: ['user: work', END], joins: false },
  {
    name: 'while it streams its answer',
    reach: () => inModel(thinks(answers('finished'), 'fin')),
    before: ['user: work', END],
    joins: false,
  },
  {
    name: 'while it streams and then calls a tool',
    reach: () => inModel(thinks(does(read('~/a.md')), 'I shall look'), [], [answers('finished')]),
    before: ['user: work', CALLED, RESULT],
    joins: true,
  },
  {
    name: 'between two calls of one message',
    reach: () => onDevice('make one', 'make two'),
    before: ['user: work', `${CALLED} toolCall`, RESULT, RESULT],
    joins: true,
  },
  {
    name: 'during a tool',
    reach: () => onDevice('make'),
    before: ['user: work', CALLED, RESULT],
    joins: true,
  },
  { name: 'during an approval', reach: asking, before: ['user: work', CALLED, RESULT], joins: true },
  {
    name: 'after the last tool',
    reach: () => inModel(thinks(answers('finished'), 'fin'), [does(read('~/a.md'))]),
    before: ['user: work', CALLED, RESULT, END],
    joins: false,
  },
  {
    name: 'during compaction',
    reach: compacting,
    before: [expect.stringContaining('it was long'), 'user: and', 'assistant: done', 'user: work', END],
    joins: false,
  },
  { name: 'while a failed model call waits', reach: tryingAgain, before: ['user: work', END], joins: false },
];

async function toTheEnd({ story, goOn }: Point): Promise<string[]> {
  await goOn();
  await story.rests();
  return story.told();
}

async function added(place: Place, mode: InputMode): Promise<Point> {
  const point = await place.reach();
  await point.story.adds('rather this', mode);
  return point;
}

describe('a message while a run goes on', () => {
  test.each(places)('[P450] that steers is read once, at the next boundary: $name', async (place) => {
    const told = await toTheEnd(await added(place, 'steer'));
    const after = ['user: rather this', place.joins ? END : 'assistant: done'];
    expect(told).toEqual([...place.before, ...after]);
  });

  test.each(places)('[P450] that waits is read once, after the run: $name', async (place) => {
    const told = await toTheEnd(await added(place, 'queue'));
    const run = place.joins ? [...place.before, END] : place.before;
    expect(told).toEqual([...run, 'user: rather this', 'assistant: done']);
  });

  test.each(places)('[P450] that interrupts ends it, and nothing of it comes late: $name', async (place) => {
    const point = await added(place, 'interrupt');
    await point.story.until(async () => (await point.story.told()).includes('user: rather this'));
    const told = await toTheEnd(point);
    const stopped = told.indexOf('system: Stopped by the user.');
    expect(told.slice(stopped)).toEqual([
      'system: Stopped by the user.',
      'user: rather this',
      expect.stringMatching(/^assistant: \w/),
    ]);
    expect(told.slice(0, stopped).at(-1)).toMatch(/^(user: work|toolResult: |assistant: fin$|system: )/);
  });

  test.each(places)('[P450] is not lost when the kernel is killed: $name', async (place) => {
    const point = await added(place, 'queue');
    point.story.kill();
    await point.story.restarts();
    const told = await toTheEnd(point);
    expect(told.filter((line) => line === 'user: work')).toHaveLength(1);
    expect(told.filter((line) => line === 'user: rather this')).toHaveLength(1);
    expect(told.indexOf('user: rather this')).toBeGreaterThan(told.indexOf('user: work'));
    expect(told.at(-1)).toMatch(/^assistant: /);
  });
});
