import { describe, expect, test } from 'vitest';
import { streamOf } from '../../shared/protocol/streams.ts';
import { MemoryRoomStorage } from '../../tests/support/memory-room-storage.ts';
import {
  ask,
  CLAIM_SECRET,
  claimedRoom,
  type Joined,
  openRoom,
  replicaHello,
} from '../../tests/support/room-in-memory.ts';

const FULL = new Error('database or disk is full');
const refused = {
  code: 507,
  retryable: true,
  message: 'The server’s storage failed: database or disk is full',
};
const hash = 'a'.repeat(64);

describe('a storage that refuses', () => {
  test.each<[string, (kernel: Joined) => Promise<unknown>]>([
    ['doc.remove', (kernel) => ask(kernel, 'doc.remove', { docs: ['scratch'] })],
    ['lease.acquire', (kernel) => ask(kernel, 'lease.acquire', { name: 'seat', force: true })],
    [
      'blob.put',
      (kernel) =>
        kernel.peer.call('blob.put', { hash, size: 3, offset: 0 }, { stream: streamOf(new Uint8Array(3)) }),
    ],
  ])('[R111] to write is a refusal in words of %s', async (_name, call) => {
    const { founder, storage } = await claimedRoom();
    storage.failure = FULL;
    await expect(call(founder)).rejects.toMatchObject(refused);
    expect(founder.closed()).toBeNull();
  });

  test.each<[string, (kernel: Joined) => Promise<unknown>]>([
    ['doc.open', (kernel) => ask(kernel, 'doc.open', { doc: 'scratch', channel: 21 })],
    ['blob.missing', (kernel) => ask(kernel, 'blob.missing', { hashes: [hash] })],
    ['blob.get', (kernel) => ask(kernel, 'blob.get', { hash, offset: 0 })],
    ['blob.release', (kernel) => ask(kernel, 'blob.release', { hashes: [hash] })],
  ])('[R111] to read is a refusal in words of %s, which works once it can', async (name, call) => {
    const { founder, storage } = await claimedRoom();
    const failing = async (): Promise<never> => {
      throw FULL;
    };
    const { load, blob } = storage;
    Object.assign(storage, { load: failing, blob: failing });
    await expect(call(founder)).rejects.toMatchObject(refused);
    Object.assign(storage, { load, blob });
    if (name === 'doc.open') expect(await call(founder)).toEqual({ seq: 0 });
  });

  test('[R111] a claim that cannot be stored is refused, and does not keep others out', async () => {
    const storage = new MemoryRoomStorage();
    const room = await openRoom(storage);
    storage.failure = FULL;
    const other = { ...replicaHello('replica-9'), token: CLAIM_SECRET };
    await expect(room.connect(other)).rejects.toMatchObject(refused);
    storage.failure = null;
    const { founder } = await claimedRoom(room);
    expect(founder.welcome?.server.replicaIndex).toBe(0);
  });

  test('[R111] a driver whose presence cannot be stored is refused, and no call is sent to it', async () => {
    const { founder, connect, storage } = await claimedRoom();
    storage.failure = FULL;
    const hello = { id: 'desk', role: 'driver', username: 'alice', token: 'gsv_node_any' } as const;
    await expect(connect({ ...hello, implements: ['fs.*'] })).rejects.toMatchObject(refused);
    storage.failure = null;
    const read = ask(founder, 'fs.read', { path: '/', target: 'desk' });
    await expect(read).rejects.toMatchObject({ code: 503, message: expect.stringContaining('desk') });
  });

  test('[R112] a replica that is known comes in though the time cannot be written', async () => {
    const { kernel, storage, clock } = await claimedRoom();
    (await kernel('replica-2')).peer.close(1000, 'gone');
    await clock.advance(1);
    storage.failure = FULL;
    const again = await kernel('replica-2');
    expect(again.welcome?.server.replicaIndex).toBe(1);
    again.peer.close(1000, 'gone');
    await clock.advance(1);
  });

  test('[R113] sys.connect names what the room answers a kernel', async () => {
    const { founder } = await claimedRoom();
    expect(founder.welcome?.syscalls).toEqual(
      expect.arrayContaining([
        'doc.close',
        'doc.remove',
        'blob.put',
        'blob.get',
        'lease.acquire',
        'lease.get',
      ]),
    );
    expect(founder.welcome?.signals).toEqual(
      expect.arrayContaining(['replica.status', 'replica.signal', 'lease.lost', 'doc.refused']),
    );
  });
});
