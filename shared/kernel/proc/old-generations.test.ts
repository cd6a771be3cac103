import { expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { Hub, type LinkedReplica } from '../../../tests/support/linked-documents.ts';
import { turns } from '../../../tests/support/turns.ts';
import { Conversation } from './conversation.ts';
import type { NewMessage } from './message-log.ts';

const said = (count: number): NewMessage[] =>
  Array.from({ length: count }, (_, at) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `m${at}` }],
    timestamp: 1,
    runId: `run-${at}`,
  }));
const stored = async ({ disk }: LinkedReplica): Promise<string[]> => disk.docs().names('conv/p/default/g');

/** Two replicas of one conversation; the second one is followed, and its timers run when `pass` is called. */
async function pair() {
  const hub = new Hub();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const timers: (() => void)[] = [];
  const later = (run: () => void): (() => void) => {
    timers.push(run);
    return () => timers.splice(timers.indexOf(run), 1);
  };
  const here = await Conversation.open(a.documents, 'p', 'default', a.self);
  await here.append(said(2));
  const around = { caughtUp: async () => true, later };
  const there = await Conversation.open(b.documents, 'p', 'default', b.self, around);
  there.observe(() => {});
  await there.flush();
  const pass = async (): Promise<void> => {
    for (const run of timers.splice(0)) run();
    await turns(20);
  };
  return { hub, a, b, here, there, pass };
}

test('[S50] messages of before a reset are gone from a full disk as soon as it takes what came after', async () => {
  const { b, here, there, pass } = await pair();
  expect(await stored(b)).toEqual(['conv/p/default/g0/000000']);
  b.disk.refuse = new Error('full');
  await here.clear();
  await turns(20);
  expect([there.generation, await stored(b)]).toEqual([1, ['conv/p/default/g0/000000']]);
  await pass();
  expect(await stored(b), 'still full').toEqual(['conv/p/default/g0/000000']);
  b.disk.refuse = null;
  await pass();
  expect(await stored(b)).toEqual([]);
});

test('[S50] a conversation that was reset is opened on a full disk', async () => {
  const { b, here, there } = await pair();
  b.disk.refuse = new Error('full');
  await here.clear();
  await turns(20);
  there.close();
  const again = await Conversation.open(b.documents, 'p', 'default', b.self);
  expect([again.generation, again.count]).toEqual([1, 0]);
});

test('[S51] messages of before a reset that come in while it is followed do not stay', async () => {
  const { hub, b, here, there } = await pair();
  const name = 'conv/p/default/g0/000001';
  const coming = new Gate();
  const opened = b.opened.bind(b);
  b.opened = async (doc, held) => {
    const older = hub.docs.get(doc);
    await opened(doc, held);
    if (doc !== name) return;
    await coming.pass();
    if (older) held.getMap('messages').set('late', {});
  };
  await here.append(said(220));
  await turns(20);
  await here.clear();
  await turns(20);
  coming.open();
  await turns(40);
  await there.flush();
  expect(await stored(b)).toEqual([]);
});
