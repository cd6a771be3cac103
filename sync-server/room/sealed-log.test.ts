import { describe, expect, test } from 'vitest';
import { NO_HASH } from '../../shared/kernel/seal/entry.ts';
import { logMessages } from '../../shared/kernel/seal/log-message.ts';
import { MemoryRoomStorage } from '../../tests/support/memory-room-storage.ts';
import { ask, claimedRoom } from '../../tests/support/room-in-memory.ts';
import { sealedWriter } from '../../tests/support/sealed-writer.ts';
import { waitFor } from '../../tests/support/server.ts';
import { SealedLog } from './sealed-log.ts';

async function openLog() {
  const storage = new MemoryRoomStorage();
  const log = await SealedLog.load(storage, '.scratch');
  const heard: (number | string)[] = [];
  log.listen({
    added: (seq) => heard.push(seq),
    replaced: (seq, bytes) => heard.push(`${bytes ? 'put back' : 'replaced'} ${seq}`),
    ended: (reason) => heard.push(reason),
  });
  return { storage, log, heard };
}

describe('the log of a sealed document', () => {
  test('[R150] entries are numbered, passed on once they are stored, and each follows its writer’s', async () => {
    const { storage, log, heard } = await openLog();
    const [a, b] = [sealedWriter('a'), sealedWriter('b')];
    const [first, second, other] = [await a.entry(), await a.entry(), await b.entry()];
    await expect(log.add(second.bytes, a)).rejects.toMatchObject({ code: 409 });
    expect(await Promise.all([first, other, second].map(({ bytes }) => log.add(bytes, a)))).toEqual([
      1, 2, 3,
    ]);
    await expect(log.add(second.bytes, a), 'a second time').rejects.toMatchObject({ code: 409 });
    const fork = sealedWriter('a', 'another');
    await fork.entry();
    await fork.entry();
    await expect(log.add((await fork.entry()).bytes, a)).rejects.toMatchObject({ code: 409 });
    expect(heard).toEqual([1, 2, 3]);
    const again = await SealedLog.load(storage, '.scratch');
    expect(await again.add((await a.entry()).bytes, a)).toBe(4);
  });

  test('[R150] what cannot be stored is passed on to nobody, and can be sent again', async () => {
    const { storage, log, heard } = await openLog();
    const { bytes } = await sealedWriter('a').entry();
    storage.failure = new Error('disk is full');
    await expect(log.add(bytes, null)).rejects.toThrow('disk is full');
    storage.failure = null;
    expect([heard, await log.add(bytes, null), heard]).toEqual([[1], 1, [1]]);
  });

  test('[R151] who says what it has read last is told what follows, and all there is when that is not so here', async () => {
    const { log } = await openLog();
    const a = sealedWriter('a');
    const entries = [await a.entry(), await a.entry(), await a.entry()];
    for (const { bytes } of entries) await log.add(bytes, null);
    const readAfter = async (seq: number, hash: string) => {
      const reading = (await log.readingAfter(seq, hash))();
      return [reading.after, reading.entries.length];
    };
    expect(await readAfter(2, entries[1]?.hash ?? '')).toEqual([2, 1]);
    expect(await readAfter(3, entries[2]?.hash ?? '')).toEqual([3, 0]);
    for (const wrong of [
      readAfter(0, NO_HASH),
      readAfter(2, entries[2]?.hash ?? ''),
      readAfter(9, NO_HASH),
    ]) {
      expect(await wrong).toEqual([0, 3]);
    }
  });

  test('[R152] a snapshot replaces what it covers, also over a restart, and one that leaves something out is refused', async () => {
    const { storage, log, heard } = await openLog();
    const [a, b] = [sealedWriter('a'), sealedWriter('b')];
    const last = [await a.entry(), await b.entry()];
    for (const { bytes } of last) await log.add(bytes, null);
    await expect(log.replace(2, (await a.snapshot([a.head])).bytes, null)).rejects.toMatchObject({
      code: 409,
    });
    await expect(log.replace(3, (await a.snapshot([a.head, b.head])).bytes, null)).rejects.toMatchObject({
      code: 409,
    });
    const { bytes, hash } = await a.snapshot([a.head, b.head]);
    await log.replace(2, bytes, null);
    await log.replace(2, (await b.snapshot([a.head, b.head])).bytes, null);
    expect([heard, (await storage.load('.scratch')).updates.length]).toEqual([[1, 2, 'replaced 2'], 1]);
    for (const one of [log, await SealedLog.load(storage, '.scratch')]) {
      const whole = (await one.readingAfter(0, NO_HASH))();
      expect([whole.snapshot?.seq, whole.entries]).toEqual([2, []]);
      for (const known of [last[1]?.hash ?? '', hash]) {
        expect((await one.readingAfter(2, known))()).toEqual({ after: 2, snapshot: null, entries: [] });
      }
    }
    expect(await log.add((await a.entry()).bytes, null)).toBe(3);
  });

  test('[R152] what a server lost is put back at the place up to which it was read, and told to all', async () => {
    const { storage, log, heard } = await openLog();
    const [a, b] = [sealedWriter('a'), sealedWriter('b')];
    for (const one of [a, a, b]) await one.entry();
    await log.replace(0, (await a.snapshot([a.head, b.head])).bytes, null);
    expect(heard).toEqual(['put back 0']);
    const again = await SealedLog.load(storage, '.scratch');
    expect((await again.readingAfter(0, NO_HASH))().snapshot?.seq).toBe(0);
    expect(await again.add((await a.entry()).bytes, null)).toBe(1);
    expect(await storage.removeDocuments(['.scratch'])).toBe(1);
  });

  test('[R153] bytes that no replica says of a log end its connection', async () => {
    const { bytes } = await sealedWriter('a').entry();
    const snapshot = await sealedWriter('a').snapshot([]);
    const nonsense = [
      new Uint8Array([9, 9]),
      new Uint8Array(),
      ...logMessages('stored', 1),
      ...logMessages('entry', 0, new Uint8Array(80)),
      ...logMessages('entry', 0, snapshot.bytes),
      ...logMessages('snapshot', 0, bytes),
    ];
    const room = await claimedRoom();
    for (const message of nonsense) {
      const kernel = await room.kernel('replica-2');
      await ask(kernel, 'log.open', { doc: 'scratch', channel: 21, since: 0, hash: NO_HASH });
      kernel.peer.sendBytes(21, message);
      await waitFor(() => kernel.closed() !== null, 'the end of the connection');
    }
    expect(
      await ask(room.founder, 'log.open', { doc: 'scratch', channel: 9, since: 0, hash: NO_HASH }),
    ).toEqual({
      seq: 0,
    });
  });
});
