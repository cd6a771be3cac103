import { describe, expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { content, replicaPair } from '../../../tests/support/replica-pair.ts';
import type { ReachableRoom } from '../../../tests/support/replicas.ts';
import { turns } from '../../../tests/support/turns.ts';
import { sha256Hex } from '../../std/bytes.ts';

const DAY_MS = 24 * 60 * 60_000;

const calls = (room: ReachableRoom, name: string) => room.calls.filter(({ call }) => call === name);

/** Nobody who is connected has to be watched over meanwhile. */
async function passOffline(room: ReachableRoom, ms: number): Promise<void> {
  room.cut(false);
  await turns(5);
  await room.clock.advance(ms);
  room.up = true;
}

describe('blobs', () => {
  test('[S20] go up in the background, count until the room has them, and are fetched where they are read', async () => {
    const { room, one, two, confirmed, put } = await replicaPair();
    const hash = await put(1);
    expect(one.blobs.waiting).toBe(1);
    await confirmed();
    expect((await room.storage.blob(hash))?.whole).toBe(true);
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect(calls(room, 'blob.get'), 'kept once it was read').toHaveLength(1);
    expect(two.blobs.waiting).toBe(0);
    expect(await two.blobs.get('0'.repeat(64))).toBe(undefined);
  });

  test('[S20] those of an offline day, and of a disk from before, go up when the room is there', async () => {
    const { room, one, online, confirmed, put } = await replicaPair();
    room.cut(false);
    await turns(5);
    const hashes = [await put(1), await put(2)];
    one.kill();
    const old = content(3);
    one.disk.blobs.set(await sha256Hex(old), old);
    await one.start();
    expect(one.blobs.waiting).toBe(3);
    room.up = true;
    await online();
    await confirmed();
    for (const hash of [...hashes, await sha256Hex(old)]) {
      expect((await room.storage.blob(hash))?.whole).toBe(true);
    }
  });

  test('[S21] a broken upload goes on where it stopped', async () => {
    const { room, confirmed, put } = await replicaPair();
    room.cutAfter = 8;
    const hash = await put(1, 4 * 2 ** 20);
    await confirmed();
    expect((await room.storage.blob(hash))?.whole).toBe(true);
    const offsets = calls(room, 'blob.put').map(({ args }) => (args as { offset: number }).offset);
    expect(offsets[0]).toBe(0);
    expect(offsets.at(-1)).toBeGreaterThan(2 ** 20);
    expect(room.longest).toBeLessThanOrEqual(2 ** 20);
  });

  test('[S81] a broken download goes on where it stopped, and ends when no link comes back', async () => {
    const { room, two, confirmed, put } = await replicaPair();
    const hash = await put(1, 2 ** 20);
    await confirmed();
    room.cutAfterReceived(2 ** 18);
    const got = two.blobs.get(hash);
    await settle(room.clock, () => two.disk.blobs.has(hash), 'the contents');
    expect(await sha256Hex((await got) ?? new Uint8Array())).toBe(hash);
    const offsets = calls(room, 'blob.get').map(({ args }) => (args as { offset: number }).offset);
    expect(offsets[0]).toBe(0);
    expect(offsets.at(-1)).toBeGreaterThanOrEqual(2 ** 17);
    const other = await put(2, 2 ** 20);
    await confirmed();
    room.cutAfterReceived(2 ** 18, false);
    const lost = expect(two.blobs.get(other)).rejects.toMatchObject({ code: 503 });
    await room.pass(60_000);
    await lost;
  });

  test('[S22] contents that are not what was asked for are neither kept nor handed out', async () => {
    const { room, two, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    await room.storage.removeBlob(hash);
    await room.storage.putBlob(hash, { stored: 50_000, whole: true, unusedSince: null }, content(2));
    await expect(two.blobs.get(hash)).rejects.toMatchObject({ code: 502 });
    expect(two.disk.blobs.has(hash)).toBe(false);
  });

  test('[S112] a full disk gives free what the room has, also where it could not write that down, and no more', async () => {
    const { room, one, put } = await replicaPair();
    const made = async (): Promise<boolean | undefined> => {
      let result: boolean | undefined;
      void one.blobs.makeRoom().then((freed) => {
        result = freed;
      });
      await settle(room.clock, () => result !== undefined, 'the end of making room');
      return result;
    };
    const hashes = [await put(1), await put(2)];
    one.disk.refuse = new Error('full');
    await settle(room.clock, () => one.blobs.usage.blobsOnlyHere === 0, 'all is at the room');
    expect([await made(), one.disk.blobs.size]).toEqual([true, 0]);
    one.disk.refuse = null;
    expect(await one.blobs.get(hashes[0] ?? '')).toEqual(content(1));
    room.cut(false);
    await turns(5);
    await put(3);
    expect([await made(), one.disk.blobs.size]).toEqual([false, 2]);
  });

  test('[S23] beyond the cap the least recently read leave, never what the room does not have', async () => {
    const { room, one, confirmed, put } = await replicaPair({ cap: 120_000 });
    const [first, second] = [await put(1), await put(2)];
    await confirmed();
    await room.pass(1000);
    await one.blobs.get(first);
    await room.pass(1000);
    const third = await put(3);
    await settle(room.clock, () => !one.disk.blobs.has(second), 'eviction');
    expect([...one.disk.blobs.keys()].sort()).toEqual([first, third].sort());
    expect(await one.blobs.get(second)).toEqual(content(2));
    room.cut(false);
    await turns(5);
    for (let seed = 4; seed < 9; seed += 1) await put(seed);
    await room.pass(60_000);
    expect(one.disk.blobs.size, 'offline nothing leaves').toBe(8);
    expect(one.blobs.usage).toEqual({ blobs: 400_000, blobsOnlyHere: 250_000, blobCap: 120_000 });
  });

  test('[S23] before anything leaves the room is asked; what it has lost stays and goes up again', async () => {
    const { room, one, confirmed, put } = await replicaPair({ cap: 120_000 });
    const first = await put(1);
    await put(2);
    await confirmed();
    await room.storage.removeBlob(first);
    await room.pass(1000);
    await put(3);
    await settle(room.clock, async () => (await room.storage.blob(first))?.whole === true, 'going up again');
    await confirmed();
    expect(one.blobs.waiting).toBe(0);
    expect(await one.blobs.get(first)).toEqual(content(1));
  });

  test('[S24] what nothing refers to leaves this disk and is given back at the room, by and by', async () => {
    const { room, one, online, confirmed, put } = await replicaPair();
    const [kept, garbage] = [await put(1), await put(2)];
    await confirmed();
    room.cut(false);
    await turns(5);
    one.references.hashes.delete(garbage);
    await one.references.collect([kept, garbage]);
    expect([...one.disk.blobs.keys()]).toEqual([kept]);
    await one.documents.flush();
    one.kill();
    await one.start();
    room.up = true;
    await online();
    await settle(room.clock, () => calls(room, 'blob.release').length > 0, 'the release');
    await turns(20);
    expect((await room.storage.blob(garbage))?.unusedSince).not.toBe(null);
    expect((await room.storage.blob(kept))?.unusedSince).toBe(null);
  });

  test('[S24] what other replicas made garbage leaves too, but nothing that was just stored', async () => {
    const { room, one, two, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    await two.blobs.get(hash);
    for (const replica of [one, two]) replica.references.hashes.delete(hash);
    await put(2);
    await confirmed();
    expect(one.disk.blobs.size).toBe(2);
    await passOffline(room, 61 * 60_000);
    await put(3);
    await settle(room.clock, () => !one.disk.blobs.has(hash), 'collection');
  });

  test('[S25] a release that was in vain is taken back when the blob is stored again', async () => {
    const { room, one, online, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    room.cut(false);
    await turns(5);
    one.references.hashes.delete(hash);
    await one.references.collect([hash]);
    expect(await put(1)).toBe(hash);
    room.up = true;
    await online();
    await confirmed();
    expect((await room.storage.blob(hash))?.unusedSince).toBe(null);
    expect(calls(room, 'blob.release')).toEqual([]);
  });

  test('[S26] a room that cannot store blobs is named as the problem, and is tried again', async () => {
    const { room, one, confirmed, put } = await replicaPair();
    room.storage.failure = new Error('the disk is full');
    await put(1);
    await settle(room.clock, () => one.blobs.problem !== null, 'a problem');
    expect(one.blobs.problem).toContain('the disk is full');
    expect([one.blobs.waiting, one.link.online]).toEqual([1, true]);
    room.storage.failure = null;
    await confirmed();
    expect(one.blobs.problem).toBe(null);
  });

  test('[S27] once a day the room is asked for all that files refer to; what it has lost goes up again', async () => {
    const { room, one, two, online, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    await room.storage.removeBlob(hash);
    room.cut(true);
    await turns(5);
    await online();
    expect(await room.storage.blob(hash)).toBe(undefined);
    for (const replica of [one, two]) replica.kill();
    await room.clock.advance(DAY_MS);
    for (const replica of [one, two]) await replica.start();
    await settle(room.clock, async () => (await room.storage.blob(hash))?.whole === true, 'going up again');
    expect(one.disk.blobs.has(hash)).toBe(true);
  });

  test('[S28] a full disk refuses a blob, and does not keep anybody from reading one of the room', async () => {
    const { one, two, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    two.disk.refuse = new Error('no space left');
    await expect(two.blobs.put(content(2))).rejects.toThrow('no space left');
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect(two.disk.blobs.size).toBe(0);
    expect(one.blobs.waiting).toBe(0);
  });

  test('[S29] offline, contents of the room cannot be read', async () => {
    const { room, two, confirmed, put } = await replicaPair();
    const hash = await put(1);
    await confirmed();
    room.cut(false);
    await turns(5);
    await expect(two.blobs.get(hash)).rejects.toMatchObject({ code: 503 });
  });
});
