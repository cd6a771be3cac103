import { describe, expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { replicaPair } from '../../../tests/support/replica-pair.ts';
import { ReachableRoom, TestReplica } from '../../../tests/support/replicas.ts';
import { turns } from '../../../tests/support/turns.ts';
import { documentWords } from '../seal/document-words.ts';
import { faultWords } from '../seal/fault.ts';
import { Keyring } from '../seal/keyring.ts';
import { SNAPSHOT_AFTER } from './sealed-sync.ts';

const CONVERSATION = 'conv/p1/default/state';

async function pair() {
  const keyring = Keyring.make(realRandom);
  const both = await replicaPair({ keyring });
  const { room, one, two } = both;
  /** Waits until a document has so many rows in both. */
  const alike = async (name: string, size: number) => {
    const open = await Promise.all([one, two].map(({ documents }) => documents.open(name)));
    const maps = open.map((doc) => doc.getMap('rows'));
    await settle(room.clock, () => maps.every((rows) => rows.size === size), name);
    const [first, second] = maps.map((rows) => rows.toJSON());
    for (const { documents } of [one, two]) await documents.close(name);
    expect(second).toEqual(first);
    return first;
  };
  return { ...both, keyring, alike };
}

describe('documents that the room cannot read', () => {
  test('[S145] a change reaches the others, and nothing of it can be read at the room', async () => {
    const { room, one, confirmed, alike } = await pair();
    await one.put(CONVERSATION, 'a key in the clear', 'a secret in the clear');
    await one.put('fs', 'a file name', 'its content');
    await confirmed();
    expect(await alike(CONVERSATION, 1)).toEqual({ 'a key in the clear': 'a secret in the clear' });
    await alike('fs', 1);
    const stored = room.storage.dump();
    expect(stored.length).toBeGreaterThan(500);
    for (const text of ['in the clear', 'file name', 'its content']) expect(stored).not.toContain(text);
  });

  test('[S145] without sealing the same scan finds them', async () => {
    const room = await ReachableRoom.open();
    const one = await TestReplica.boot(room, 'replica-2');
    await one.put('fs', 'a file name', 'its content');
    await settle(room.clock, () => one.link.online && one.waiting === 0, 'confirmation');
    expect(room.storage.dump()).toContain('file name');
  });

  test('[S146] what was changed apart, before a kill and under cuts, is in all of them afterwards', async () => {
    const { room, one, two, online, confirmed, alike } = await pair();
    const open = await two.documents.open(CONVERSATION);
    room.cut(false);
    await turns(5);
    await one.put(CONVERSATION, 'one', 1);
    await two.put(CONVERSATION, 'two', 2);
    await one.documents.flush();
    one.kill();
    await one.start();
    room.up = true;
    await online();
    for (let at = 0; at < 6; at += 1) {
      room.cutAfter = 3 + at;
      await one.put(CONVERSATION, `cut-${at}`, at);
      await two.put(CONVERSATION, `cut-two-${at}`, at);
      await online();
    }
    await confirmed();
    await alike(CONVERSATION, 14);
    expect(open.getMap('rows').size).toBe(14);
    expect([one.replication.problem, two.replication.problem]).toEqual([null, null]);
  });

  test('[S146] kills at any moment of writing and sending lose nothing and contradict nothing', async () => {
    const { room, one, online, confirmed, alike } = await pair();
    for (let at = 0; at < 12; at += 1) {
      await one.put(CONVERSATION, `kept-${at}`, at);
      await one.documents.flush();
      await turns(at);
      one.kill();
      if (at % 3 === 0) await room.restart();
      await one.start();
      await online();
    }
    await confirmed();
    await alike(CONVERSATION, 12);
    expect(one.replication.problem).toBeNull();
  });

  test('[S192] a document that was never told sealed is told whole by whoever has it', async () => {
    const room = await ReachableRoom.open();
    const keyring = Keyring.make(realRandom);
    const one = await TestReplica.boot(room, 'replica-2');
    await one.put('fs', 'from before', 1);
    await settle(room.clock, () => one.link.online && one.waiting === 0, 'confirmation');
    await one.keys.set(keyring);
    one.kill();
    await one.start();
    const other = await TestReplica.boot(room, 'replica-3', { keyring });
    const rows = (await other.documents.open('fs')).getMap('rows');
    await settle(room.clock, () => rows.get('from before') === 1, 'arrival');
  });

  test('[S90] what is read of a log is stored as it came, with what was overwritten in it', async () => {
    const { one, two, confirmed } = await pair();
    const doc = await one.documents.open(CONVERSATION);
    await confirmed();
    for (const value of ['an older value', 'a newer value']) doc.getMap('rows').set('key', value);
    await confirmed();
    expect(await two.read(CONVERSATION)).toEqual({ key: 'a newer value' });
    await two.documents.flush();
    const stored = two.disk.updates.filter(({ doc }) => doc === CONVERSATION);
    expect(stored.map(({ bytes }) => new TextDecoder().decode(bytes)).join()).toContain('an older value');
  });

  test('[S147] a long log is replaced by a snapshot, from which a newcomer reads everything', async () => {
    const { room, keyring, one, two, confirmed } = await pair();
    const doc = await one.documents.open(CONVERSATION);
    await two.documents.open(CONVERSATION);
    for (let at = 0; at < SNAPSHOT_AFTER + 20; at += 1) {
      doc.getMap('rows').set(`row-${at % 50}`, at);
      await confirmed();
    }
    const { updates } = await room.storage.load(`.${CONVERSATION}`);
    expect(updates.length).toBeLessThan(50);
    two.kill();
    const newcomer = await TestReplica.boot(room, 'replica-3', { keyring });
    await settle(room.clock, () => newcomer.link.online, 'being online');
    expect(Object.keys(await newcomer.read(CONVERSATION))).toHaveLength(50);
    await newcomer.put(CONVERSATION, 'new', 1);
    await settle(room.clock, () => newcomer.waiting === 0, 'confirmation');
    await settle(room.clock, () => doc.getMap('rows').get('new') === 1, 'arrival');
  });

  test('[S148] a room that was set back to an older copy is noticed, told of, and made whole again', async () => {
    const { room, one, two, online, confirmed, alike } = await pair();
    await one.put(CONVERSATION, 'before', 1);
    await confirmed();
    const restore = room.storage.copy();
    await one.put(CONVERSATION, 'one', 1);
    await two.put(CONVERSATION, 'two', 2);
    await confirmed();
    await alike(CONVERSATION, 3);
    room.cut(false);
    await turns(5);
    restore();
    const told: string[] = [];
    for (const { replication } of [one, two]) {
      replication.faults.onHealed(({ name, kind }) => told.push(faultWords(kind, documentWords(name))));
    }
    await two.put(CONVERSATION, 'later', 3);
    await room.restart();
    await settle(room.clock, () => told.length > 0, 'being told');
    await online();
    const watched = await one.documents.open(CONVERSATION);
    expect(told[0]).toContain('a conversation was changed. It does not have changes');
    await confirmed();
    await settle(room.clock, () => watched.getMap('rows').size === 4, 'everything');
    await alike(CONVERSATION, 4);
    expect([one.replication.problem, two.replication.problem]).toEqual([null, null]);
  });

  test('[S149] who has other keys takes nothing and gives nothing', async () => {
    const { room, one, two, confirmed } = await pair();
    await one.put(CONVERSATION, 'a', 1);
    await confirmed();
    two.kill();
    const stranger = await TestReplica.boot(room, 'replica-3', { keyring: Keyring.make(realRandom) });
    await settle(room.clock, () => stranger.link.online, 'being online');
    expect(await stranger.read(CONVERSATION)).toEqual({});
    await settle(room.clock, () => stranger.replication.problem !== null, 'being told');
    expect(stranger.replication.problem).toContain('none of your browsers wrote');
    await room.pass(20_000);
    expect(await one.read(CONVERSATION)).toEqual({ a: 1 });
  });

  test('[S149] a removed document is gone from the room, and its name begins anew', async () => {
    const { room, one, two, confirmed, alike } = await pair();
    await one.put(CONVERSATION, 'a', 1);
    await confirmed();
    await alike(CONVERSATION, 1);
    await one.documents.remove(CONVERSATION);
    await two.documents.remove(CONVERSATION);
    await confirmed();
    expect((await room.storage.load(`.${CONVERSATION}`)).updates).toEqual([]);
    await two.put(CONVERSATION, 'b', 2);
    await confirmed();
    expect(await alike(CONVERSATION, 1)).toEqual({ b: 2 });
  });
});
