import { expect, test } from 'vitest';
import { countingRandom, StillClock } from '../../../tests/support/files-fixture.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { turns } from '../../../tests/support/turns.ts';
import { newRun } from '../agent/run-rows.ts';
import { Conversation } from './conversation.ts';
import type { Hold } from './hold.ts';
import { Requests } from './requests.ts';
import { RunSlot } from './run-slot.ts';
import { Runs, type RunsParts } from './runs.ts';
import { takeOver } from './takeover.ts';

const BY_ITSELF = { force: false, byPerson: false };
const HOLDER = { kind: 'holder', epoch: 2 };

/** A run of another replica, and what is needed to take it over; `meanwhile` happens while the lease is asked for. */
async function left(meanwhile: (conversation: Conversation) => void) {
  const hub = new Hub();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const there = await Conversation.open(a.documents, 'p', 'default', a.self);
  there.own.run.set(newRun({ runId: 'theirs', owner: a.self.id, generation: 0 }, 1));
  await there.flush();
  const conversation = await Conversation.open(b.documents, 'p', 'default', b.self);
  const hold = {
    claim: async () => {
      meanwhile(conversation);
      return { kind: 'held', epoch: 2 } as const;
    },
    stored: async () => true,
  } as unknown as Hold;
  const { doc } = conversation;
  const flush = (): Promise<void> => conversation.flush();
  const [clock, random] = [new StillClock(), countingRandom()];
  const requests = new Requests({ doc, self: b.self.id, clock, random, flush });
  const parts = { conversation, hold, requests, say: () => {}, takeBack: () => {} };
  return { parts, conversation };
}

test('[P369] a run is not taken over in the moment in which a queued message becomes the next one here', async () => {
  const begun = await left(({ own, self }) =>
    own.run.set(newRun({ runId: 'queued', owner: self.id, generation: 0 }, 2)),
  );
  expect(await takeOver({ ...begun.parts, begins: () => false }, BY_ITSELF)).toMatchObject({ ok: false });
  expect(begun.conversation.own.run.get()?.runId).toBe('queued');
  expect(begun.conversation.others().map(({ run }) => run.get()?.runId)).toEqual(['theirs']);
  const beginning = await left(() => {});
  expect(await takeOver({ ...beginning.parts, begins: () => true }, BY_ITSELF)).toMatchObject({ ok: false });
  expect(beginning.conversation.own.run.get()).toBeUndefined();
  expect(await takeOver({ ...beginning.parts, begins: () => false }, BY_ITSELF)).toMatchObject({ ok: true });
  expect(beginning.conversation.own.run.get()?.runId).toBe('theirs');
});

test('[P375] a run that is taken over while a queued message was about to begin goes on when it is whole', async () => {
  const { documents, self } = new Hub().replica(0);
  const conversation = await Conversation.open(documents, 'p', 'default', self);
  conversation.queue.add({ messageId: 'm', runId: 'queued', text: 'hi', queuedAt: 1, by: self.id });
  const [claimed, whole] = [new Gate(), new Gate()];
  const wentOn: unknown[] = [];
  const hold = { claim: () => claimed.pass(), mayTake: () => true, now: () => null, standing: HOLDER };
  const prepare = (): Promise<never> => new Promise(() => {});
  const emit = (signal: string, { runId }: Record<string, unknown>): void => {
    if (signal === 'proc.run.started') wentOn.push(runId);
  };
  const [clock, slot] = [new StillClock(), new RunSlot()];
  const parts = { conversation, hold, prepare, emit, clock, slot, say: () => {} };
  const runs = new Runs(parts as unknown as RunsParts);
  runs.drive();
  await claimed.reached();
  const storing = runs.stored(async () => {
    conversation.own.run.set(newRun({ runId: 'theirs', owner: self.id, generation: 0 }, 1));
    await whole.pass();
  });
  claimed.open();
  await turns(5);
  expect(wentOn).toEqual([]);
  whole.open();
  await storing;
  await turns(5);
  expect(wentOn).toEqual(['theirs']);
});
