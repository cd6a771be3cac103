import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { editDoc } from '../../../tests/support/edit-doc.ts';
import { Hub } from '../../../tests/support/linked-documents.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { all, ids, message, open, pair, said, texts } from '../../../tests/support/said.ts';
import { turns } from '../../../tests/support/turns.ts';
import type { MessageRow } from '../../state/conversation.ts';
import { placeOf } from '../../state/message-id.ts';
import { Documents } from '../documents.ts';
import { Conversation, type ConversationChange } from './conversation.ts';

const increasing = (list: number[]): boolean => list.every((id, at) => at === 0 || id > (list[at - 1] ?? 0));

describe('messages of several replicas', () => {
  test('[P30] that were appended apart come together run by run, in one order, under ids of their own', async () => {
    const { a, b, here, there } = await pair();
    expect(await all(there)).toEqual(['hello', 'hi']);
    a.part();
    for (const at of [1, 2]) await here.append(said('run-a', `a${at}`));
    for (const at of [1, 2, 3]) await there.append(said('run-b', `b${at}`));
    await here.append(said('run-a', 'a3'));
    await there.append(said('run-c', 'c1', 'c2'));
    a.join();
    await here.append(said('later', 'after all'));
    const expected = ['hello', 'hi', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'after all'];
    for (const [conversation, replica] of [
      [here, a],
      [there, b],
    ] as const) {
      expect([conversation.count, await all(conversation)]).toEqual([expected.length, expected]);
      expect(increasing(await ids(conversation))).toBe(true);
      await conversation.flush();
      expect(await all(await open(replica)), 'opened again').toEqual(expected);
    }
    expect(await ids(here)).toEqual(await ids(there));
  });

  test('[P31] a run goes on behind its own messages, also when others came between, and after a restart', async () => {
    const { hub, a, here, there } = await pair();
    await here.append(said('run-a', 'a1'));
    await there.append(said('run-b', 'b1'));
    await here.append(said('run-a', 'a2'));
    expect(await all(there)).toEqual(['hello', 'hi', 'a1', 'a2', 'b1']);
    await here.flush();
    const again = await open(hub.replica(0, a.disk));
    await again.append(said('run-a', 'a3'));
    expect(await all(again)).toEqual(['hello', 'hi', 'a1', 'a2', 'a3', 'b1']);
    const [, , a1, , a3] = (await ids(again)).map(placeOf);
    expect([a1?.base, a3]).toEqual([3, { base: 3, writer: 0, place: 2 }]);
  });

  test('[P32] a block has at most 1,024 messages; a longer run begins the next at an assistant’s message', async () => {
    const { here } = await pair();
    const step = [
      message('assistant', 'call', 'long', ['x', 'y']),
      message('toolResult', 'x', 'long'),
      message('toolResult', 'y', 'long'),
    ];
    await here.append(said('long', 'go'));
    for (let at = 0; at < 400; at += 1) await here.append(step);
    const rows = (await here.log.slice(2, 5000)).map((row) => ({ role: row.role, ...placeOf(row.id) }));
    const blocks = [...new Set(rows.map(({ base }) => base))].map((base) =>
      rows.filter((row) => row.base === base),
    );
    expect(blocks.map((block) => block.length)).toEqual([1 + 3 * 341, 3 * 59]);
    expect(blocks.map(([first]) => first?.role)).toEqual(['user', 'assistant']);
    expect(increasing(await ids(here))).toBe(true);
    expect(here.count).toBe(2 + 1 + 1200);
  });

  test('[P33] what another replica appends is told at once: precisely, also in documents that were not open', async () => {
    const { here, there } = await pair();
    const heard: ConversationChange[] = [];
    const stop = there.observe((change) => heard.push(change));
    for (let at = 0; at < 230; at += 1) await here.append(said(`run-${at}`, `m${at}`));
    await turns(3);
    const told = heard.flatMap(({ messages }) => texts(messages));
    expect(told).toEqual(Array.from({ length: 230 }, (_, at) => `m${at}`));
    expect(heard.some(({ reset }) => reset)).toBe(false);
    expect(there.count).toBe(232);
    stop();
  });

  test('[P33] positions are counted without opening what is older, and a page of them is the same everywhere', async () => {
    const { hub, here } = await pair();
    for (let at = 0; at < 450; at += 1) await here.append(said(`run-${at}`, `m${at}`));
    const c = hub.replica(2);
    const there = await open(c);
    expect(there.count).toBe(452);
    const names = [...hub.docs.keys()].filter((name) => name.includes('/g0/')).sort();
    expect(names.map((name) => name.slice(-6))).toEqual(['000000', '000001', '000002']);
    expect(texts(await there.log.slice(198, 4))).toEqual(['m196', 'm197', 'm198', 'm199']);
    expect(texts(await there.log.slice(450, 200))).toEqual(['m448', 'm449']);
    const newest: string[] = [];
    for await (const row of there.log.backwards()) {
      newest.push(...texts([row]));
      if (newest.length === 3) break;
    }
    expect(newest).toEqual(['m449', 'm448', 'm447']);
  });

  test('[S205] the documents of a page are asked for together, eight at most', async () => {
    const { here } = await pair();
    for (let at = 0; at < 2000; at += 1) await here.append(said(`run-${at}`, `m${at}`));
    let reading = 0;
    let most = 0;
    const asked: number[] = [];
    const read = async (n: number): Promise<MessageRow[]> => {
      asked.push(n);
      reading += 1;
      most = Math.max(most, reading);
      await turns(2);
      reading -= 1;
      return here.log.peek(n);
    };
    expect(texts(await here.log.slice(1398, 600, read))).toEqual(
      Array.from({ length: 600 }, (_, at) => `m${1396 + at}`),
    );
    expect([most, asked]).toEqual([4, [6, 7, 8, 9]]);
    expect(await here.log.slice(0, 5000, read)).toHaveLength(2002);
    expect(most).toBe(8);
  });
});

describe('a message that two replicas began apart', () => {
  test('[P62] stands once: the later of the two is taken back by who wrote it', async () => {
    const { a, here, there } = await pair();
    a.part();
    await there.append(said('between', 'b1'));
    await here.append(said('same', 'twice', 'answer of a'));
    await there.append(said('same', 'twice', 'answer of b'));
    await here.append(said('other', 'twice'));
    a.join();
    for (const conversation of [here, there]) {
      const expected = ['hello', 'hi', 'twice', 'answer of a', 'b1', 'answer of b', 'twice'];
      expect([conversation.count, await all(conversation)]).toEqual([7, expected]);
    }
    await there.append(said('same', 'goes on'));
    expect(increasing(await ids(here))).toBe(true);
  });

  test('[P366] stands once also when the first of the two came while the conversation was closed here', async () => {
    const { a, b, here, there } = await pair();
    a.part();
    await there.append(said('between', 'b1'));
    await here.append(said('same', 'twice', 'answer of a'));
    await there.append(said('same', 'twice', 'answer of b'));
    await there.flush();
    there.close();
    a.join();
    const again = await open(b);
    for (const conversation of [here, again]) {
      const expected = ['hello', 'hi', 'twice', 'answer of a', 'b1', 'answer of b'];
      expect([conversation.count, await all(conversation)]).toEqual([6, expected]);
    }
  });
});

describe('a message that two replicas began apart, of whose later one newer documents follow', () => {
  async function apart() {
    const { a, b, here, there } = await pair();
    a.part();
    await here.append(said('same', 'twice', 'answer of a'));
    await there.append(said('between', 'b1'));
    await there.append(said('same', 'twice'));
    for (let at = 0; at < 230; at += 1) await there.append(said(`run-${at}`, `m${at}`));
    await there.flush();
    await there.close();
    return { a, b, here };
  }
  const twice = async (conversation: Conversation): Promise<number> =>
    (await all(conversation)).filter((text) => text === 'twice').length;

  test('[P371] stands once when its writer has opened the conversation, before anybody reads that far', async () => {
    const { a, b, here } = await apart();
    a.join();
    await open(b);
    await turns(3);
    expect(await twice(here)).toBe(1);
  });

  test('[P371] stands once when the other comes to its writer, who looks at something else', async () => {
    const { a, b, here } = await apart();
    await open(b);
    a.join();
    await turns(3);
    expect(await twice(here)).toBe(1);
  });
});

describe('a conversation of an older version', () => {
  async function old(count: number, generation: number, firstId: number) {
    const hub = new Hub();
    const a = hub.replica(0);
    const bySegment = new Map<number, MessageRow[]>();
    for (let id = firstId; id < firstId + count; id += 1) {
      const n = Math.floor((id - 1) / 200);
      const row: MessageRow = { ...message('user', `m${id}`, `run-${id}`), id, generation };
      bySegment.set(n, [...(bySegment.get(n) ?? []), row]);
    }
    for (const [n, rows] of bySegment) {
      editDoc(a.disk, `conv/p/default/g${generation}/${String(n).padStart(6, '0')}`, (doc) => {
        for (const row of rows) doc.getMap('messages').set(String(row.id).padStart(10, '0'), row);
      });
    }
    editDoc(a.disk, 'conv/p/default/state', (doc) => {
      const state = doc.getMap('state');
      if (generation > 0) state.set('meta', { generation, firstId, nextQueued: 4 });
      const run = {
        runId: 'cut',
        generation,
        startedAt: 5,
        phase: 'tools',
        turns: 1,
        provider: '',
        model: '',
      };
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0 };
      state.set('run', { ...run, repeated: { signature: '', count: 0 }, usage, calls: [] });
      doc.getMap('results').set('call-1', { content: [], isError: false });
      const queued = { messageId: 'q1', runId: 'r1', text: 'waiting', queuedAt: 1 };
      doc.getMap('queue').set('00000003', queued);
    });
    return { hub, a };
  }

  test('[P34] opens with everything, under the ids it had, and goes on', async () => {
    for (const [count, generation, firstId] of [
      [450, 0, 1],
      [200, 0, 1],
      [3, 2, 199],
    ] as const) {
      const { hub, a } = await old(count, generation, firstId);
      const conversation = await open(a);
      expect(conversation.count).toBe(count);
      const before = await ids(conversation);
      expect([before[0], before.at(-1)]).toEqual([firstId, firstId + count - 1]);
      expect(conversation.own.run.get()).toMatchObject({ runId: 'cut', owner: 'replica-0', epoch: null });
      expect(conversation.own.result('call-1')).toEqual({ content: [], isError: false });
      conversation.queue.add({ messageId: 'q2', runId: 'r2', text: 'more', queuedAt: 2 });
      expect(conversation.queue.rows().map(({ messageId }) => messageId)).toEqual(['q1', 'q2']);
      await conversation.append(said('new', 'new one'));
      await conversation.flush();
      const elsewhere = await open(hub.replica(1));
      expect((await all(elsewhere)).slice(-2)).toEqual([`m${firstId + count - 1}`, 'new one']);
      expect(increasing(await ids(elsewhere))).toBe(true);
      expect((await open(hub.replica(0, a.disk))).count, 'upgraded once').toBe(count + 1);
    }
  });

  test('[P370] messages of now that come before what counts them are not taken for it', async () => {
    const hub = new Hub();
    const b = hub.replica(1);
    const written = await open(b);
    await written.append(said('first', 'hello', 'hi'));
    await written.flush();
    const disk = new MemoryDisk();
    disk.updates.push(...b.disk.updates.filter(({ doc }) => doc.includes('/g0/')));
    const documents = new Documents(disk.docs());
    const here = await Conversation.open(documents, 'p', 'default', { id: 'replica-0', index: 0 });
    expect(here.count).toBe(2);
    for (const { bytes } of b.disk.updates.filter(({ doc }) => doc.endsWith('/state')))
      Y.applyUpdate(here.doc, bytes);
    expect(await all(here)).toEqual(['hello', 'hi']);
    expect(here.count).toBe(2);
  });
});

describe('a reset apart from appends', () => {
  test('[P35] archives what it knew; the rest goes to the new generation, as it is and once', async () => {
    const { hub, a, b, here, there } = await pair();
    await there.append(said('apart', 'known of b'));
    b.part();
    await there.append(said('apart', 'b1', 'b2'));
    await here.append(said('known', 'a1'));
    await here.clear();
    await here.append(said('new', 'n1'));
    const changes: ConversationChange[] = [];
    there.observe((change) => changes.push(change));
    b.join();
    await turns(5);
    await there.append(said('apart', 'b3'));
    for (const conversation of [here, there]) {
      expect(conversation.generation).toBe(1);
      expect((await all(conversation)).sort()).toEqual(['b1', 'b2', 'b3', 'n1']);
      expect(increasing(await ids(conversation))).toBe(true);
      const rows = await conversation.log.slice(0, 10);
      expect(rows.map(({ generation }) => generation)).toEqual([1, 1, 1, 1]);
      expect(texts(rows.filter(({ runId }) => runId === 'apart'))).toEqual(['b1', 'b2', 'b3']);
    }
    expect(changes.some(({ reset }) => reset)).toBe(true);
    await there.flush();
    expect([...hub.docs.keys()].filter((name) => name.includes('/g0/'))).toEqual([]);
    expect(b.disk.updates.filter(({ doc }) => doc.includes('/g0/'))).toEqual([]);
    expect((await all(await open(hub.replica(1, b.disk)))).length, 'rescued once').toBe(4);
    expect(a.disk.updates.filter(({ doc }) => doc.includes('/g0/'))).toEqual([]);
  });

  test('[P35] the same when the replica learns of it only when it opens the conversation', async () => {
    const { hub, b, here, there } = await pair();
    b.part();
    await there.append(said('apart', 'b1'));
    await there.flush();
    await here.clear();
    const state = hub.docs.get('conv/p/default/state');
    const again = hub.replica(1, b.disk);
    expect(state).toBeDefined();
    const later = await open(again);
    expect([later.generation, await all(later), await all(here)]).toEqual([1, ['b1'], ['b1']]);
  });

  test('[P35] what the one that resets had only heard of, not got, is not lost', async () => {
    const { hub, b, there } = await pair();
    await there.append(said('far', 'far away'));
    const c = hub.replica(2);
    const state = 'conv/p/default/state';
    const known = await c.documents.open(state);
    expect(known.getMap('log').size).toBe(2);
    c.part();
    const elsewhere = await open(c);
    await elsewhere.clear();
    c.join();
    await turns(5);
    expect([there.generation, await all(there)]).toEqual([1, ['hello', 'hi', 'far away']]);
    expect(b.self.index).toBe(1);
  });

  test('[P372] what was said after a message that was archived and then taken back is not lost', async () => {
    const { hub, a, here, there } = await pair();
    const c = hub.replica(2);
    const elsewhere = await open(c);
    c.part();
    await elsewhere.append(said('same', 'twice'));
    await there.append(said('between', 'b1'));
    await there.append(said('same', 'twice'));
    a.part();
    const through: Record<string, number> = {};
    for (const id of await ids(here)) through[`0/${placeOf(id).writer}`] = id;
    await here.clear({ counts: here.log.known(), through });
    await there.append(said('later', 'b2'));
    c.join();
    await turns(5);
    expect(await all(there), 'the later of the two is taken back').toEqual([
      'hello',
      'hi',
      'b1',
      'twice',
      'b2',
    ]);
    a.join();
    await turns(5);
    for (const conversation of [here, there, elsewhere])
      expect((await all(conversation)).sort()).toEqual(['b2', 'twice']);
  });

  test('[P379] a reset that another one came before ends nothing of what was said since', async () => {
    const { here, there } = await pair();
    const { generation } = here.log;
    const read = { counts: here.log.known() };
    await there.clear();
    await there.append(said('since', 'after all'));
    await expect.poll(() => all(here)).toEqual(['after all']);
    expect(await here.clear(read, [], generation)).toBe(false);
    expect([await all(here), await all(there)]).toEqual([['after all'], ['after all']]);
  });

  test('[P35] two resets apart are one, and what was said after either stays', async () => {
    for (const times of [1, 2]) await twoResets(times);
  });

  async function twoResets(times: number): Promise<void> {
    const { b, here, there } = await pair();
    b.part();
    for (let left = times; left > 0; left -= 1) await here.clear();
    await there.clear();
    await here.append(said('a', 'a1'));
    await there.append(said('b', 'b1'));
    b.join();
    await turns(3);
    for (const conversation of [here, there]) {
      expect([conversation.generation, (await all(conversation)).sort()]).toEqual([times, ['a1', 'b1']]);
    }
    expect(await ids(here)).toEqual(await ids(there));
  }
});
