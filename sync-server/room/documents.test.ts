import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import type { SyscallError } from '../../shared/protocol/errors.ts';
import { keepControlApart } from '../../shared/state/control-moves.ts';
import { MemoryRoomStorage } from '../../tests/support/memory-room-storage.ts';
import { toOlderVersion } from '../../tests/support/older-version.ts';
import {
  acknowledged,
  ask,
  CLAIM_SECRET,
  claimedRoom,
  type Joined,
  openRoom,
  replicaHello,
  sendUpdate,
  updateOf,
} from '../../tests/support/room-in-memory.ts';
import { waitFor } from '../../tests/support/server.ts';
import { putToken, systemDocuments } from '../../tests/support/system-doc.ts';
import { IDLE_MS } from './documents.ts';

const refusals = ({ signals }: Joined): unknown[] =>
  signals.filter(({ signal }) => signal === 'doc.refused').map(({ payload }) => payload);

describe('closing', () => {
  test('[R70] a channel closes after what was sent on it is stored, and its number may be used again', async () => {
    const { founder, storage } = await claimedRoom();
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    for (let at = 0; at < 5; at += 1) sendUpdate(founder, 21, updateOf({ [`row-${at}`]: at }));
    expect(await ask(founder, 'doc.close', { channel: 21 })).toEqual({ closed: true });
    expect((await storage.load('scratch')).seq).toBe(5);
    expect(founder.signals.filter(({ signal }) => signal === 'doc.ack').at(-1)?.payload).toMatchObject({
      channel: 21,
      count: 5,
    });
    sendUpdate(founder, 21, updateOf({ late: true }));
    expect(await ask(founder, 'doc.close', { channel: 21 })).toEqual({ closed: false });
    expect(await ask(founder, 'doc.open', { doc: 'scratch', channel: 21 })).toEqual({ seq: 5 });
  });

  test('[R73] a thousand documents opened and closed leave memory of none', async () => {
    const { room, founder, clock, storage } = await claimedRoom();
    expect(room.openDocuments).toBe(2);
    for (let at = 0; at < 1000; at += 1) {
      await ask(founder, 'doc.open', { doc: `scratch/${at}`, channel: 101 });
      sendUpdate(founder, 101, updateOf({ at }));
      await ask(founder, 'doc.close', { channel: 101 });
    }
    expect(room.openDocuments).toBe(1002);
    await clock.advance(IDLE_MS);
    expect(room.openDocuments).toBe(2);
    expect((await storage.load('scratch/999')).updates).toHaveLength(1);
    expect(await ask(founder, 'doc.open', { doc: 'scratch/7', channel: 101 })).toEqual({ seq: 1 });
  });

  test('[R73] a document stays in memory while it is used or being written, and for a while after', async () => {
    const { room, founder, kernel, clock, storage } = await claimedRoom();
    const other = await kernel('replica-2');
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    await ask(other, 'doc.open', { doc: 'scratch', channel: 21 });
    await ask(founder, 'doc.close', { channel: 21 });
    await clock.advance(10 * IDLE_MS);
    expect(room.openDocuments).toBe(3);
    const append = storage.append.bind(storage);
    let written = (): void => {};
    storage.append = async (doc, updates) => {
      await new Promise<void>((resolve) => {
        written = resolve;
      });
      return append(doc, updates);
    };
    sendUpdate(other, 21, updateOf({ slow: true }));
    await clock.advance(1);
    other.peer.close(1000, 'gone');
    await clock.advance(10 * IDLE_MS);
    expect(room.openDocuments).toBe(3);
    written();
    await clock.advance(IDLE_MS);
    expect(room.openDocuments).toBe(2);
    expect(await ask(founder, 'doc.open', { doc: 'scratch', channel: 23 })).toEqual({ seq: 1 });
    await ask(founder, 'doc.close', { channel: 23 });
    await clock.advance(IDLE_MS - 1);
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 23 });
    await clock.advance(2 * IDLE_MS);
    expect(room.openDocuments).toBe(3);
  });

  test('[R75] a connection has at most 4,096 documents open', async () => {
    const { founder } = await claimedRoom();
    const open = (at: number) => ask(founder, 'doc.open', { doc: `scratch/${at % 10}`, channel: 2 * at + 1 });
    for (let at = 0; at < 4095; at += 1) await open(at);
    await expect(open(4095)).rejects.toMatchObject({ code: 429 });
    await ask(founder, 'doc.close', { channel: 1 });
    await open(4095);
  });
});

describe('removing', () => {
  test('[R71] a removed document is gone from storage, whoever has it open is told, and it begins anew', async () => {
    const { founder, kernel, storage } = await claimedRoom();
    const other = await kernel('replica-2');
    for (const doc of ['scratch/a', 'scratch/b', 'scratch/kept']) {
      await ask(founder, 'doc.open', { doc, channel: 21 });
      sendUpdate(founder, 21, updateOf({ doc }));
      await ask(founder, 'doc.close', { channel: 21 });
    }
    await ask(other, 'doc.open', { doc: 'scratch/a', channel: 31 });
    await ask(other, 'doc.open', { doc: 'scratch/kept', channel: 33 });
    const docs = ['scratch/a', 'scratch/b', 'scratch/none', 'scratch/a'];
    expect(await ask(founder, 'doc.remove', { docs })).toEqual({ removed: 2 });
    expect(refusals(other)).toEqual([
      { doc: 'scratch/a', channel: 31, reason: 'This document was removed', ended: true },
    ]);
    expect((await storage.load('scratch/a')).seq).toBe(0);
    expect((await storage.load('scratch/kept')).seq).toBe(1);
    sendUpdate(other, 31, updateOf({ late: true }));
    sendUpdate(other, 33, updateOf({ fine: true }));
    await acknowledged(other, 33, 1);
    expect(await ask(other, 'doc.open', { doc: 'scratch/a', channel: 31 })).toEqual({ seq: 0 });
  });

  test('[R71] what is being stored while a document is removed does not bring it back', async () => {
    const { founder, kernel, storage } = await claimedRoom();
    const other = await kernel('replica-2');
    await ask(other, 'doc.open', { doc: 'scratch', channel: 31 });
    for (let at = 0; at < 50; at += 1) sendUpdate(other, 31, updateOf({ [`row-${at}`]: at }));
    const removed = ask(founder, 'doc.remove', { docs: ['scratch'] });
    const reopened = ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    for (let at = 0; at < 50; at += 1) sendUpdate(other, 31, updateOf({ [`late-${at}`]: at }));
    await removed;
    await waitFor(() => refusals(other).length === 1, 'the refusal');
    expect((await storage.load('scratch')).seq).toBe(0);
    expect(await reopened).toEqual({ seq: 0 });
  });

  test('[R71] a document that is opened while it is being removed begins anew', async () => {
    const { founder, storage, clock } = await claimedRoom();
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    sendUpdate(founder, 21, updateOf({ one: 1 }));
    await ask(founder, 'doc.close', { channel: 21 });
    await clock.advance(IDLE_MS);
    const remove = storage.removeDocuments.bind(storage);
    let goOn = (): void => {};
    storage.removeDocuments = async (docs) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return remove(docs);
    };
    const removed = ask(founder, 'doc.remove', { docs: ['scratch'] });
    await clock.advance(1);
    const opened = ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    await clock.advance(1);
    goOn();
    expect([await removed, await opened]).toEqual([{ removed: 1 }, { seq: 0 }]);
  });

  test('[R72] `control`, `system` and `fs` cannot be removed, nor what is no document name', async () => {
    const { founder, storage } = await claimedRoom();
    for (const name of ['control', 'system', 'fs', '../etc'])
      await expect(ask(founder, 'doc.remove', { docs: ['scratch', name] })).rejects.toMatchObject({
        code: 400,
      });
    expect((await storage.load('control')).seq).toBe(1);
  });

  test('[R74] a removal that the storage refuses changes nothing', async () => {
    const { founder, storage } = await claimedRoom();
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 21 });
    sendUpdate(founder, 21, updateOf({ one: 1 }));
    await acknowledged(founder, 21, 1);
    storage.failure = new Error('database or disk is full');
    const refused = await ask(founder, 'doc.remove', { docs: ['scratch'] }).catch(
      (error: SyscallError) => error,
    );
    expect(refused).toMatchObject({ code: 507, message: expect.stringContaining('disk is full') });
    storage.failure = null;
    sendUpdate(founder, 21, updateOf({ two: 2 }));
    await acknowledged(founder, 21, 2);
    expect(refusals(founder)).toEqual([]);
    expect((await storage.load('scratch')).seq).toBe(2);
  });
});

test('[R154] a room that an older version filled lets its people in, before and after a browser has moved the rows', async () => {
  const storage = new MemoryRoomStorage();
  const { tables, ...docs } = systemDocuments();
  for (const id of ['replica-1', 'replica-2'])
    putToken(tables, replicaHello(id).token, { uid: 0, kind: 'service', allowedDeviceId: `replica:${id}` });
  putToken(tables, 'gsv_user_alice', { uid: 1000, kind: 'user' });
  toOlderVersion(docs);
  await storage.append('system', [Y.encodeStateAsUpdate(docs.system)]);
  await storage.put('claim/claimed', true);
  const room = await openRoom(storage);
  const alice = { id: 'cli', role: 'user' as const, username: 'alice', token: 'gsv_user_alice' };
  const first = await room.connect(replicaHello('replica-1'));
  const user = await room.connect(alice);
  await expect(room.connect({ ...replicaHello('replica-1'), token: CLAIM_SECRET })).rejects.toMatchObject({
    code: 401,
  });
  const moved = { system: docs.system, control: new Y.Doc() };
  keepControlApart(moved);
  let channel = 20;
  for (const doc of ['system', 'control'] as const) {
    channel += 1;
    await ask(first, 'doc.open', { doc, channel });
    sendUpdate(first, channel, Y.encodeStateAsUpdate(moved[doc]));
    await acknowledged(first, channel, 1);
    await room.clock.advance(1_000);
  }
  expect([first.closed(), user.closed()]).toEqual([null, null]);
  const later = await room.restart();
  await later.connect(replicaHello('replica-2'));
  await later.connect(alice);
});

test('[R155] once the control document says so, the room takes nothing else in the clear, and gives up what it had', async () => {
  const { founder, kernel, change, storage, restart } = await claimedRoom();
  const other = await kernel('replica-2');
  for (const { peer } of [founder, other]) await peer.call('doc.open', { doc: 'scratch', channel: 21 });
  sendUpdate(founder, 21, updateOf({ planted: 1 }));
  await acknowledged(founder, 21, 1);
  await expect(ask(founder, 'doc.clear', {})).rejects.toMatchObject({ code: 409 });
  await change((tables) => tables.seal.put('gsv', { gsvId: 'one', since: 1 }));
  await waitFor(() => refusals(founder).length + refusals(other).length === 2, 'both are told');
  sendUpdate(founder, 21, updateOf({ later: 1 }));
  for (const doc of ['scratch', 'system', 'fs'])
    await expect(ask(other, 'doc.open', { doc, channel: 23 })).rejects.toMatchObject({ code: 409 });
  expect((await storage.load('scratch')).seq).toBe(1);
  expect(await ask(founder, 'doc.clear', {})).toEqual({ removed: 1 });
  expect(storage.names()).toEqual(['control']);
  const later = await restart();
  const again = await later.connect(replicaHello('replica-2'));
  await expect(ask(again, 'doc.open', { doc: 'fs', channel: 23 })).rejects.toMatchObject({ code: 409 });
  expect(await ask(again, 'doc.open', { doc: 'control', channel: 25 })).toMatchObject({ seq: 2 });
});
