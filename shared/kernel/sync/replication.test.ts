import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { editDoc, readDoc } from '../../../tests/support/edit-doc.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { settle } from '../../../tests/support/passing.ts';
import { replicaPair } from '../../../tests/support/replica-pair.ts';
import { ReachableRoom, TestReplica } from '../../../tests/support/replicas.ts';
import { CLAIM_SECRET } from '../../../tests/support/room-in-memory.ts';
import { turns } from '../../../tests/support/turns.ts';

const CONVERSATION = 'conv/p1/default/state';
const OTHER = 'conv/p2/default/state';

describe('documents of several replicas', () => {
  test('[S1] a change reaches the others that have the document open, and is counted until it is confirmed', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    const open = await two.documents.open(CONVERSATION);
    await one.put(CONVERSATION, 'a', 1);
    expect(one.waiting).toBeGreaterThan(0);
    await confirmed();
    await settle(room.clock, () => open.getMap('rows').get('a') === 1, 'arrival');
    expect(await room.rows(CONVERSATION)).toEqual({ a: 1 });
  });

  test('[S48] nobody hears of a change that is not on this disk, so that a kill makes nobody know more than its author', async () => {
    const { room, one, two, confirmed, online } = await replicaPair();
    const seen = (await two.documents.open(CONVERSATION)).getMap('rows');
    const rows = (await one.documents.open(CONVERSATION)).getMap('rows');
    await confirmed();
    one.disk.refuse = new Error('no space left');
    rows.set('forgotten', 1);
    await room.clock.advance(5_000);
    expect([one.waiting > 0, seen.size]).toEqual([true, 0]);
    one.kill();
    one.disk.refuse = null;
    await one.start();
    await online();
    await one.put(CONVERSATION, 'kept', 1);
    await settle(room.clock, () => seen.get('kept') === 1, 'arrival');
    expect(await room.rows(CONVERSATION)).toEqual({ kept: 1 });
  });

  test('[S2] what replicas change apart is in all of them afterwards', async () => {
    const { room, one, two, online, confirmed } = await replicaPair();
    room.cut(false);
    await turns(5);
    await one.put('fs', 'one', 1);
    await one.put(CONVERSATION, 'one', 1);
    await two.put('fs', 'two', 2);
    await two.put(CONVERSATION, 'two', 2);
    await two.put(OTHER, 'two', 2);
    expect([one.waiting, two.waiting]).toEqual([2, 3]);
    room.up = true;
    await online();
    await confirmed();
    const both = { one: 1, two: 2 };
    for (const replica of [one, two]) {
      for (const name of ['fs', CONVERSATION]) {
        const rows = (await replica.documents.open(name)).getMap('rows');
        await settle(room.clock, () => rows.size === 2, name);
        expect(rows.toJSON()).toEqual(both);
      }
      expect(await replica.read(OTHER)).toEqual({ two: 2 });
    }
  });

  test('[S3] unconfirmed changes are remembered across a restart, and sent without anybody opening them', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    room.cut(false);
    await one.put(CONVERSATION, 'a', 1);
    await one.put(CONVERSATION, 'b', 2);
    await one.documents.flush();
    one.kill();
    await one.start();
    expect(one.replication.waiting, 'at least one for a document that has changes').toBe(1);
    room.up = true;
    await settle(room.clock, () => one.link.online && two.link.online, 'being online');
    await confirmed();
    expect(await room.rows(CONVERSATION)).toEqual({ a: 1, b: 2 });
    expect(await two.read(CONVERSATION)).toEqual({ a: 1, b: 2 });
  });

  test('[S3] the mark reaches the disk in the write of the change, and leaves it when all is quiet', async () => {
    const { room, one, confirmed } = await replicaPair();
    const marks = () => [...readDoc(one.disk, 'outbox').getMap('documents').keys()];
    await room.pass(10_000);
    await one.documents.flush();
    expect(marks()).toEqual([]);
    const writes = one.disk.writes;
    room.cut(false);
    await one.put(CONVERSATION, 'a', 1);
    await one.documents.flush();
    expect(one.disk.writes).toBe(writes + 1);
    expect(marks()).toEqual([CONVERSATION]);
    room.up = true;
    await settle(room.clock, () => one.link.online);
    await confirmed();
    await room.pass(10_000);
    await one.documents.flush();
    expect(marks()).toEqual([]);
  });

  test('[S4] on a disk from before, everything but what is this replica’s alone is sent once', async () => {
    const room = await ReachableRoom.open();
    const disk = new MemoryDisk();
    for (const name of ['fs', CONVERSATION, OTHER, 'work'])
      editDoc(disk, name, (doc) => doc.getMap('rows').set('a', 1));
    const one = await TestReplica.boot(room, 'replica-2', { disk });
    expect(one.waiting).toBe(3);
    await settle(room.clock, () => one.link.online && one.waiting === 0, 'confirmation');
    for (const name of ['fs', CONVERSATION, OTHER]) expect(await room.rows(name)).toEqual({ a: 1 });
    for (const name of ['work', 'outbox']) expect((await room.storage.load(name)).seq).toBe(0);
    await room.pass(5_000);
    await one.documents.flush();
    one.kill();
    await one.start();
    expect(one.waiting).toBe(0);
  });

  test('[S5] a room that cannot store keeps the link, is named as the problem, and is tried again', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    const dials = room.dials;
    room.storage.failure = new Error('the disk is full');
    await one.put(CONVERSATION, 'a', 1);
    await one.put('fs', 'b', 2);
    await settle(room.clock, () => one.replication.problem !== null, 'a problem');
    expect(one.replication.problem).toMatch(/^The server cannot store changes: .*the disk is full$/);
    await room.pass(200_000);
    expect(one.waiting).toBeGreaterThanOrEqual(2);
    expect([one.link.online, room.dials]).toEqual([true, dials]);
    room.storage.failure = null;
    await confirmed();
    expect(one.replication.problem).toBe(null);
    expect(await room.rows('fs')).toEqual({ b: 2 });
    expect(await two.read(CONVERSATION)).toEqual({ a: 1 });
  });

  test('[S103] who had nothing of its own to tell when the room could not store hears of all that it stores later', async () => {
    const { room, one, two, online, confirmed } = await replicaPair();
    const here = (await one.documents.open(CONVERSATION)).getMap('rows');
    const there = (await two.documents.open(CONVERSATION)).getMap('rows');
    await one.put(CONVERSATION, 'a', 1);
    await confirmed();
    room.storage.failure = new Error('the disk is full');
    here.delete('a');
    await settle(room.clock, () => there.size === 0, 'the removal, passed on early');
    room.cut(true);
    await settle(room.clock, () => !two.link.online, 'the cut');
    await online();
    await room.pass(5_000);
    room.storage.failure = null;
    await confirmed();
    await one.put(CONVERSATION, 'b', 2);
    await room.pass(120_000);
    expect(there.toJSON()).toEqual({ b: 2 });
  });

  test('[S5] what was refused survives a restart of both ends', async () => {
    const { room, one, two, online, confirmed } = await replicaPair();
    room.storage.failure = new Error('the disk is full');
    await one.put(CONVERSATION, 'a', 1);
    await one.documents.flush();
    await settle(room.clock, () => one.replication.problem !== null);
    one.kill();
    await one.start();
    expect(one.waiting).toBeGreaterThan(0);
    room.storage.failure = null;
    await room.restart();
    await online();
    await confirmed();
    expect(await two.read(CONVERSATION)).toEqual({ a: 1 });
  });

  test('[S6] the first opening waits for what the room has; offline, and for what is here, nothing is waited for', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    await one.put(CONVERSATION, 'a', 1);
    await confirmed();
    const doc = await two.documents.open(CONVERSATION);
    expect(doc.getMap('rows').toJSON()).toEqual({ a: 1 });
    await two.documents.close(CONVERSATION);
    room.cut(false);
    await turns(5);
    expect(await two.read(CONVERSATION)).toEqual({ a: 1 });
    expect(await two.read(OTHER)).toEqual({});
  });

  test('[S6] a room that says nothing holds an opening up for ten seconds at most', async () => {
    const { room, one } = await replicaPair();
    room.deaf = true;
    const opening = one.documents.open(CONVERSATION);
    let open = false;
    void opening.then(() => {
      open = true;
    });
    await turns(20);
    await room.pass(9_000);
    expect(open).toBe(false);
    await room.pass(1_000);
    await opening;
  });

  test('[S7] a document larger than any message is brought over in pieces, and comes back', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    const doc = await one.documents.open(CONVERSATION);
    const rows = doc.getMap('rows');
    doc.transact(() => {
      for (let key = 0; key < 300; key += 1) rows.set(String(key), 'x'.repeat(100_000));
    });
    await confirmed();
    expect(await two.read(CONVERSATION)).toEqual(rows.toJSON());
    expect(room.longest).toBeLessThan(2 ** 20);
  });

  test('[S8] a document that was removed goes at the room too, also when that was away, and is not brought back', async () => {
    const { room, one, two, online, confirmed } = await replicaPair();
    await one.put(CONVERSATION, 'a', 1);
    await one.put(OTHER, 'a', 1);
    await confirmed();
    await two.documents.open(CONVERSATION);
    await one.documents.remove(CONVERSATION);
    await settle(room.clock, () => one.waiting === 0);
    await room.pass(120_000);
    expect((await room.storage.load(CONVERSATION)).updates).toEqual([]);
    room.cut(false);
    await turns(5);
    await one.documents.remove(OTHER);
    expect(one.waiting).toBe(1);
    one.kill();
    await one.start();
    room.up = true;
    await online();
    await settle(room.clock, () => one.waiting === 0);
    expect((await room.storage.load(OTHER)).updates).toEqual([]);
    expect(await one.documents.names('conv/')).toEqual([]);
  });

  test('[S8] a document of the name that is made anew has nothing of the old one, and a kill does not take it', async () => {
    const { room, one, online, confirmed } = await replicaPair();
    await one.put(CONVERSATION, 'old', 1);
    await confirmed();
    room.cut(false);
    await turns(5);
    await one.documents.remove(CONVERSATION);
    await one.put(CONVERSATION, 'new', 2);
    await one.documents.flush();
    one.kill();
    await one.start();
    expect(await one.read(CONVERSATION)).toEqual({ new: 2 });
    room.storage.failure = new Error('the disk is full');
    room.up = true;
    await online();
    await settle(room.clock, () => one.replication.problem !== null);
    room.storage.failure = null;
    await confirmed();
    expect(await room.rows(CONVERSATION)).toEqual({ new: 2 });
    expect(await one.read(CONVERSATION)).toEqual({ new: 2 });
  });

  test('[S9] a room that lets this replica in by a claim is sent everything again', async () => {
    const { one, confirmed } = await replicaPair();
    await one.put(CONVERSATION, 'a', 1);
    await confirmed();
    await one.documents.flush();
    one.kill();
    const fresh = await ReachableRoom.fresh();
    one.disk.secrets.set('room/claim', CLAIM_SECRET);
    await one.start(new Life(), { room: fresh });
    await settle(fresh.clock, () => one.link.online && one.waiting === 0, 'confirmation');
    expect(await fresh.rows(CONVERSATION)).toEqual({ a: 1 });
    await settle(fresh.clock, () => !one.disk.secrets.has('room/claim'), 'forgetting the secret');
  });

  test('[S11] a room that is killed again and again loses nothing that it confirmed', async () => {
    const { room, one, two, online, confirmed } = await replicaPair();
    const doc = await one.documents.open(CONVERSATION);
    for (let round = 0; round < 20; round += 1) {
      for (let n = 0; n < 5; n += 1) doc.getMap('rows').set(`${round}/${n}`, n);
      await turns(round);
      const sure = one.replication.waiting === 0 ? doc.getMap('rows').toJSON() : {};
      await room.restart();
      expect(await room.rows(CONVERSATION)).toMatchObject(sure);
      await online();
    }
    await confirmed();
    expect(Object.keys(await two.read(CONVERSATION))).toHaveLength(100);
  });

  test('[S12] a replica with a thousand conversations opens none of them to connect, and is quiet then', async () => {
    const { room, one } = await replicaPair();
    await one.documents.flush();
    one.kill();
    for (let n = 0; n < 1000; n += 1) {
      const doc = new Y.Doc();
      doc.getMap('rows').set('a', 1);
      one.disk.updates.push({ doc: `conv/p${n}/default/state`, bytes: Y.encodeStateAsUpdate(doc) });
    }
    const calls = room.calls.length;
    await one.start();
    await settle(room.clock, () => one.link.online && one.waiting === 0);
    const opened = room.calls.slice(calls).filter(({ call }) => call === 'doc.open');
    expect(opened).toHaveLength(3);
    await room.pass(20_000);
    const quiet = room.frames;
    await room.pass(60_000);
    expect(room.frames - quiet, 'the pulses of two replicas').toBeLessThanOrEqual(16);
  });

  test('[S13] documents that nobody uses any more leave memory and the link, unconfirmed ones when they are confirmed', async () => {
    const { room, one, confirmed } = await replicaPair();
    for (let n = 0; n < 50; n += 1) await one.put(`conv/p${n}/default/state`, 'a', n);
    await confirmed();
    await settle(room.clock, () => one.replication.open.length === 3);
    expect(one.replication.open).toEqual(['control', 'system', 'fs']);
    const opens = room.calls.filter(({ call }) => call === 'doc.open').length;
    const closes = room.calls.filter(({ call }) => call === 'doc.close').length;
    expect(opens - closes).toBe(6);
  });

  test('[S14] others call the room and hear its signals over the same link', async () => {
    const { room, one } = await replicaPair();
    expect((await one.link.call('lease.get', { name: 'seat' })).data).toEqual({ lease: null });
    const heard: unknown[] = [];
    one.link.onSignal('replica.status', (payload) => heard.push(payload));
    room.cut(false);
    await turns(5);
    await expect(one.link.call('lease.get', { name: 'seat' })).rejects.toMatchObject({ code: 503 });
    room.up = true;
    await settle(room.clock, () => heard.length > 0, 'a signal');
  });

  test('[S15] stored and synced settle when the room has, or has given, everything of a document', async () => {
    const { room, one, two, confirmed } = await replicaPair();
    room.cut(false);
    await turns(5);
    await one.put('fs', 'a', 1);
    const never = new AbortController();
    let isStored = false;
    const storing = one.replication.stored(['fs'], never.signal).then(() => {
      isStored = true;
    });
    await room.pass(100);
    expect(isStored).toBe(false);
    room.up = true;
    await settle(room.clock, () => isStored);
    await storing;
    await confirmed();
    two.kill();
    await two.start();
    let isHere = false;
    void two.replication.synced('fs', never.signal).then(() => {
      isHere = true;
    });
    await settle(room.clock, () => isHere);
    expect(await two.read('fs')).toEqual({ a: 1 });
    const given = two.replication.stored(['fs', OTHER], AbortSignal.abort(new Error('given up')));
    await expect(given).resolves.toBe(undefined);
    await expect(two.replication.synced(OTHER, AbortSignal.abort(new Error('given up')))).rejects.toThrow(
      'given up',
    );
  });
});
