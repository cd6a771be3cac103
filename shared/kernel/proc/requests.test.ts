import { expect, test } from 'vitest';
import { Hub, type LinkedReplica } from '../../../tests/support/linked-documents.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { turns } from '../../../tests/support/turns.ts';
import type { Ask, Outcome } from '../../state/conversation.ts';
import { deferred } from '../../std/deferred.ts';
import { Requests } from './requests.ts';

const ABORT: Ask = { kind: 'abort', runId: 'r1' };

async function world() {
  const hub = new Hub();
  const clock = new ManualClock();
  const open = async (replica: LinkedReplica) => {
    const doc = await replica.documents.open('state');
    const flush = () => replica.documents.flush();
    const requests = new Requests({ doc, self: replica.self.id, clock, random: realRandom, flush });
    return { doc, requests, replica, rows: () => doc.getMap('requests').size };
  };
  const [asker, owner] = [await open(hub.replica(0)), await open(hub.replica(1))];
  return { hub, clock, open, asker, owner };
}

test('[P60] a request is carried out once, however much happens meanwhile, and its answer leaves nothing behind', async () => {
  const { asker, owner } = await world();
  const served: Ask[] = [];
  const outcome = deferred<Outcome>();
  owner.requests.serve((ask) => {
    served.push(ask);
    return outcome.promise;
  });
  const first = asker.requests.ask('replica-1', ABORT);
  await turns(2);
  const second = asker.requests.ask('replica-1', { kind: 'unqueue', messageId: 'm1' });
  await turns(2);
  outcome.resolve({ done: true, text: 'words' });
  expect([await first, await second]).toEqual([
    { done: true, text: 'words' },
    { done: true, text: 'words' },
  ]);
  expect(served.map(({ kind }) => kind)).toEqual(['abort', 'unqueue']);
  expect([asker.rows(), owner.rows()]).toEqual([0, 0]);
});

test('[P60] an owner that is away has ten seconds; later it carries the request out all the same', async () => {
  const { hub, clock, open, asker, owner } = await world();
  owner.replica.part();
  let answer: Outcome | null | undefined;
  void asker.requests.ask('replica-1', ABORT).then((value) => {
    answer = value;
  });
  await clock.advance(9_999);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  expect(answer).toBeNull();
  const served: Ask[] = [];
  owner.requests.serve(async (ask) => {
    served.push(ask);
    return { done: true };
  });
  owner.replica.join();
  await turns(2);
  expect(served).toEqual([ABORT]);
  await asker.replica.documents.flush();
  const again = await open(hub.replica(0, asker.replica.disk));
  expect(again.rows(), 'nobody waits for its answer').toBe(0);
});

test('[P60] who takes a run over inherits what was asked of its owner', async () => {
  const { hub, open, asker, owner } = await world();
  owner.replica.part();
  const asked = asker.requests.ask('replica-1', ABORT);
  await turns(2);
  const heir = await open(hub.replica(2));
  heir.requests.inherit('replica-1');
  const served: Ask[] = [];
  heir.requests.serve(async (ask) => {
    served.push(ask);
    return { done: true };
  });
  await turns(2);
  expect(served).toEqual([ABORT]);
  owner.requests.serve(async () => ({ done: false }));
  owner.replica.join();
  await turns(2);
  expect(served).toHaveLength(1);
  void asked;
});
