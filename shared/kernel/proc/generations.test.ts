import { expect, test } from 'vitest';
import { Hub, type LinkedReplica } from '../../../tests/support/linked-documents.ts';
import { turns } from '../../../tests/support/turns.ts';
import { placeOf } from '../../state/message-id.ts';
import { Conversation } from './conversation.ts';
import type { NewMessage } from './message-log.ts';

const open = (replica: LinkedReplica): Promise<Conversation> =>
  Conversation.open(replica.documents, 'p', 'default', replica.self);

const say = (text: string): NewMessage[] => [
  { role: 'user', content: [{ type: 'text', text }], timestamp: 1, runId: text },
];

async function all({ log, count }: Conversation): Promise<string[]> {
  const rows = await log.slice(0, count);
  return rows.flatMap(({ content }) => content.flatMap((block) => (block.type === 'text' ? block.text : [])));
}

/** Archives what is known, as a reset does. Resolves with the ids of what that was. */
async function reset(conversation: Conversation): Promise<number[]> {
  const ids = (await conversation.log.slice(0, conversation.count)).map(({ id }) => id);
  const through = Object.fromEntries(ids.map((id) => [`0/${placeOf(id).writer}`, id]));
  await conversation.clear({ counts: conversation.log.known(), through });
  return ids;
}

/**
 * Two that were cut off have reset, one of them twice. That one is closed when they come together, and of what they say
 * is the newest generation the other's word stands: it has the higher client id.
 */
async function resetApart() {
  const hub = new Hub();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const here = await open(a);
  await here.append(say('hello'));
  const there = await open(b);
  a.part();
  [here.doc.clientID, there.doc.clientID] = [2, 1];
  await reset(here);
  await here.append(say('a1'));
  await reset(there);
  for (const text of ['b1', 'b2', 'b3']) await there.append(say(text));
  const archived = await reset(there);
  await there.flush();
  there.close();
  a.join();
  await turns(5);
  return { here, later: await open(b), archived };
}

test('[P373] of resets apart the furthest is that of all, also where a word of less was written over it and nobody has said anything since', async () => {
  const { here, later } = await resetApart();
  await turns(5);
  for (const conversation of [here, later])
    expect([conversation.generation, await all(conversation)]).toEqual([2, ['a1']]);
});

test('[P373] what is said then comes after all that was archived', async () => {
  const { here, later, archived } = await resetApart();
  const [{ id } = { id: 0 }] = await later.append(say('new'));
  expect(id).toBeGreaterThan(Math.max(...archived));
  await turns(5);
  for (const conversation of [here, later]) expect(await all(conversation)).toEqual(['a1', 'new']);
});
