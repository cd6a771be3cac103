import { expect, test } from 'vitest';
import { Hub, type LinkedReplica } from '../../../tests/support/linked-documents.ts';
import { turns } from '../../../tests/support/turns.ts';
import { Conversation } from './conversation.ts';
import type { NewMessage } from './message-log.ts';

const open = (replica: LinkedReplica): Promise<Conversation> =>
  Conversation.open(replica.documents, 'p', 'default', replica.self);

const said = (runId: string): NewMessage => ({
  role: 'user',
  content: [{ type: 'text', text: runId }],
  timestamp: 1,
  runId,
});
const CALL: NewMessage = {
  role: 'assistant',
  content: [{ type: 'toolCall', id: 'call', name: 'Shell', arguments: {} }],
  timestamp: 2,
  runId: 'run',
};
const RESULT: NewMessage = {
  role: 'toolResult',
  content: [{ type: 'text', text: 'done' }],
  toolCallId: 'call',
  toolName: 'Shell',
  timestamp: 3,
  runId: 'run',
};

/**
 * A call of a's, of which b wrote the result, and a reset by c, which knew of neither. Two documents of messages later a
 * hears of the reset, when b has brought the call with its result long since.
 */
async function bringsTwice() {
  const hub = new Hub();
  const [a, b, c] = [hub.replica(0), hub.replica(1), hub.replica(2)];
  const ofA = await open(a);
  const [ofB, ofC] = [await open(b), await open(c)];
  c.part();
  await ofA.append([said('run'), CALL]);
  a.part();
  await ofB.append([RESULT]);
  await ofC.clear();
  c.join();
  await turns(3);
  for (let at = 0; at < 450; at += 1) await ofC.append([said(`later-${at}`)]);
  return { a, ofA, ofC };
}

async function calls({ log, count }: Conversation): Promise<number> {
  return (await log.slice(0, count)).filter(({ role }) => role === 'assistant').length;
}

test('[P377] a call that two browsers brought from before a reset stands once, however much was said in between', async () => {
  const { a, ofC } = await bringsTwice();
  expect(await calls(ofC)).toBe(1);
  a.join();
  await turns(5);
  expect(await calls(ofC)).toBe(1);
});

test('[P377] the same when who brought it later had the conversation closed meanwhile', async () => {
  const { a, ofA, ofC } = await bringsTwice();
  await ofA.flush();
  ofA.close();
  await turns(3);
  a.join();
  const again = await open(a);
  await turns(5);
  expect(await calls(ofC)).toBe(1);
  expect(await calls(again)).toBe(1);
});
