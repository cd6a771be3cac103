import { expect, test } from 'vitest';
import { countingRandom, StillClock } from '../../../tests/support/files-fixture.ts';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { newRun } from '../agent/run-rows.ts';
import { Conversation } from './conversation.ts';
import type { Hold } from './hold.ts';
import { Requests } from './requests.ts';
import { takeOver } from './takeover.ts';

const BY_ITSELF = { force: false, byPerson: false };

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
