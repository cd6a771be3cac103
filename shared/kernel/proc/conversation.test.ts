import { expect, test } from 'vitest';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { newRun } from '../agent/run-rows.ts';
import { Conversation } from './conversation.ts';

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

async function world() {
  const hub = new Hub();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const here = await Conversation.open(a.documents, 'p', 'default', a.self);
  const there = await Conversation.open(b.documents, 'p', 'default', b.self);
  const begin = (conversation: Conversation, runId: string, epoch: number | null, startedAt = 1): void =>
    conversation.own.run.set({
      ...newRun({ runId, owner: conversation.self.id, generation: 0 }, startedAt),
      epoch,
    });
  const taken = (conversation: Conversation): boolean | undefined => {
    const run = conversation.own.run.get();
    return run && conversation.isTaken(run);
  };
  return { a, here, there, begin, taken };
}

test('[P62] of two runs of one message exactly one goes on, the same on both replicas; the newer lease decides', async () => {
  for (const [mine, theirs, wins] of [
    [null, null, 'here'],
    [1, 2, 'there'],
    [2, 1, 'here'],
    [null, 1, 'there'],
  ] as const) {
    const { a, here, there, begin, taken } = await world();
    a.part();
    begin(here, 'same', mine);
    begin(there, 'same', theirs);
    expect([taken(here), taken(there)]).toEqual([false, false]);
    a.join();
    expect([taken(here), taken(there)]).toEqual(wins === 'here' ? [false, true] : [true, false]);
    const winner = wins === 'here' ? here : there;
    for (const conversation of [here, there])
      if (conversation !== winner)
        expect(conversation.others().map(({ owner }) => owner)).toEqual([winner.self.id]);
  }
});

test('[P62] a run that was done elsewhere under its id is not done again', async () => {
  const { here, there, begin, taken } = await world();
  begin(here, 'same', null);
  expect(taken(here)).toBe(false);
  const times = { startedAt: 1, finishedAt: 2, turns: 1 };
  there.last.set({ runId: 'same', status: 'ok', usage: NO_USAGE, ...times });
  expect([taken(here), there.others()]).toEqual([true, []]);
});

test('[P64] runs of several replicas are rows of their own; the own is shown first, else the newest', async () => {
  const { a, here, there, begin } = await world();
  a.part();
  begin(here, 'a-run', 1, 5);
  begin(there, 'b-run', null, 9);
  there.own.partial.set({ runId: 'b-run', turn: 0, text: 'so far', thinking: '' });
  a.join();
  const run = (conversation: Conversation) => conversation.shown().run.get();
  expect([run(here)?.runId, run(there)?.runId]).toEqual(['a-run', 'b-run']);
  here.own.clear();
  expect(run(here)).toMatchObject({ runId: 'b-run', owner: 'replica-1' });
  expect(new Map(here.rows()).get('partial')).toMatchObject({ text: 'so far' });
});
