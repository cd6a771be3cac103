import { expect, test } from 'vitest';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { messageKey } from '../../state/conversation.ts';
import { Conversation } from '../proc/conversation.ts';
import type { NewMessage } from '../proc/message-log.ts';
import { ConversationSource } from './conversation-source.ts';

const TAIL = 20;
const say = (runId: string, text: string): NewMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: 1,
  runId,
});

/** A page of `there`, as it is told, and a conversation that `here` writes to. */
async function world(messages: number) {
  const hub = new Hub();
  const clock = new ManualClock();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const here = await Conversation.open(a.documents, 'p', 'default', a.self);
  for (let at = 0; at < messages; at += 1) await here.append([say(`run-${at}`, `m${at}`)]);
  const there = await Conversation.open(b.documents, 'p', 'default', b.self);
  const source = new ConversationSource(there, TAIL, clock);
  const page = new Map<string, unknown>();
  const resets: number[] = [];
  source.observe((keys, reset = false) => {
    if (reset) {
      page.clear();
      resets.push(clock.now());
    }
    for (const key of keys) {
      const value = source.read(key);
      if (value) page.set(key, value);
      else page.delete(key);
    }
  });
  for (const { key, value } of await source.load()) page.set(key, value);
  const texts = (): string[] =>
    [...page.keys()]
      .filter((key) => key.startsWith('m:'))
      .sort()
      .map((key) => (page.get(key) as { content: { text: string }[] }).content[0]?.text ?? '');
  return { a, b, here, there, clock, page, resets, texts };
}

test('[P38] messages of another replica come to the page at their place, also between those that it has', async () => {
  const { a, here, there, texts, resets, clock } = await world(10);
  a.part();
  await here.append([say('apart', 'from here')]);
  await there.append([say('there', 'from there')]);
  a.join();
  await here.append([say('apart', 'more from here')]);
  await clock.advance(100);
  expect(texts().slice(-3)).toEqual(['from here', 'more from here', 'from there']);
  expect([texts().length, resets]).toEqual([13, []]);
});

test('[P38] what was written before the part that the page shows makes it begin anew with the newest', async () => {
  const { a, here, there, texts, resets, clock, page } = await world(10);
  a.part();
  await here.append([say('apart', 'long ago')]);
  for (let at = 0; at < 2 * TAIL; at += 1) await there.append([say(`there-${at}`, `t${at}`)]);
  const again = new ConversationSource(there, TAIL, clock);
  const shown = await again.load();
  const told: string[][] = [];
  again.observe((keys) => told.push(keys));
  a.join();
  expect(resets, 'the page that has everything from the start gets it in its place').toEqual([]);
  expect(texts()[10]).toBe('long ago');
  await clock.advance(100);
  const newest = told.at(-1) ?? [];
  expect(newest).toHaveLength(TAIL);
  expect(newest).toEqual(shown.filter(({ key }) => key.startsWith('m:')).map(({ key }) => key));
  expect(page.size).toBe(11 + 2 * TAIL);
});

test('[P38] a reset elsewhere empties the page, and then shows what there is', async () => {
  const { here, texts, resets, clock, there } = await world(5);
  await here.clear();
  await here.append([say('new', 'anew')]);
  await clock.advance(100);
  expect([texts(), resets.length]).toEqual([['anew'], 1]);
  const [row] = await there.log.slice(0, 1);
  expect(row && messageKey(row.id)).toMatch(/^m:\d{16}$/);
});

test('[K135] a page that begins anew is told so in one patch, with what comes while the newest are read', async () => {
  const { a, here, there, clock } = await world(10);
  a.part();
  await here.append([say('apart', 'long ago')]);
  for (let at = 0; at < 2 * TAIL; at += 1) await there.append([say(`there-${at}`, `t${at}`)]);
  const again = new ConversationSource(there, TAIL, clock);
  await again.load();
  const told: { keys: string[]; reset: boolean }[] = [];
  again.observe((keys, reset = false) => told.push({ keys, reset }));
  a.join();
  const passing = clock.advance(100);
  const late = await there.append([say('late', 'while it was read')]);
  await passing;
  expect(told.filter(({ reset }) => reset)).toHaveLength(1);
  const keys = new Set(told.filter(({ reset }) => reset || told.length > 1).flatMap((one) => one.keys));
  expect(keys.size).toBeGreaterThanOrEqual(TAIL);
  for (const { id } of late) expect(keys).toContain(messageKey(id));
});
