import { describe, expect, test } from 'vitest';
import { settle } from '../../../tests/support/passing.ts';
import { content, replicaPair } from '../../../tests/support/replica-pair.ts';
import type { ReachableRoom } from '../../../tests/support/replicas.ts';
import { hashOf } from '../../../tests/support/sample-bytes.ts';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { turns } from '../../../tests/support/turns.ts';
import { concatBytes } from '../../std/bytes.ts';
import { BlobCipher } from '../seal/blob-cipher.ts';
import { Keyring } from '../seal/keyring.ts';

const MB = 2 ** 20;
const DAY_MS = 24 * 60 * 60_000;
const CHANGED = /The server’s copy of the contents of a file was changed.*Nothing of it was taken/;

type Stored = Awaited<ReturnType<typeof sealedPair>>;

async function sealedPair({ sealed = true } = {}) {
  const keyring = Keyring.make(new SeededRandom(1));
  const pair = await replicaPair(sealed ? { keyring } : {});
  const name = (hash: string, epoch = 1) =>
    new BlobCipher(pair.one.keys.keyring ?? keyring).name(epoch, hash);
  return { ...pair, keyring, name };
}

/** Every byte that the room has of blobs, and every name that it was ever told of one. */
async function toldOf({ room }: Stored): Promise<{ names: string[]; bytes: Buffer }> {
  const names = room.calls.flatMap(({ call, args }) => {
    if (!call.startsWith('blob.')) return [];
    const { hash, hashes = [] } = args as { hash?: string; hashes?: string[] };
    return [...hashes, ...(hash === undefined ? [] : [hash])];
  });
  const stored: Uint8Array[] = [];
  for (const name of new Set(names)) stored.push(await storedAt(room, name));
  return { names, bytes: Buffer.concat(stored) };
}

async function storedAt(room: ReachableRoom, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const bytes = await room.storage.readBlob(name, at);
    if (bytes.length === 0) return concatBytes(parts);
    parts.push(bytes.slice());
    at += bytes.length;
  }
}

async function replace(room: ReachableRoom, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await room.storage.removeBlob(name);
  await room.storage.putBlob(name, { stored: bytes.length, whole: true, unusedSince: null }, bytes);
}

/** Both have a new key, as when a browser was shut out. */
async function rotate({ one, two, keyring }: Stored): Promise<Keyring> {
  const rotated = keyring.rotated(new SeededRandom(2));
  for (const replica of [one, two]) await replica.keys.set(rotated);
  return rotated;
}

describe('blobs of a sealed GSV', () => {
  test('[S182] the room is told neither their hash nor a byte of them, and others read them', async () => {
    const stored = await sealedPair();
    const { room, two, confirmed, put, name } = stored;
    const hash = await put(1);
    await confirmed();
    const { names, bytes } = await toldOf(stored);
    expect(names).toContain(await name(hash));
    expect(names).not.toContain(hash);
    expect(bytes.length).toBe(50_000 + 21);
    expect(bytes.includes(Buffer.from(content(1).subarray(100, 116)))).toBe(false);
    expect((await room.storage.blob(await name(hash)))?.whole).toBe(true);
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect(await two.blobs.get('0'.repeat(64))).toBe(undefined);
  });

  test('[S182] a broken upload goes on where it stopped, with whoever has the same contents', async () => {
    const { room, one, two, confirmed, put, name } = await sealedPair();
    room.cutAfter = 8;
    const hash = await put(1, 4 * MB);
    await settle(
      room.clock,
      async () => ((await room.storage.blob(await name(hash)))?.stored ?? 0) > 0,
      'a part',
    );
    one.kill();
    await two.blobs.put(content(1, 4 * MB));
    await settle(room.clock, () => two.blobs.waiting === 0, 'the upload');
    await one.start();
    await confirmed();
    const offsets = room.calls.flatMap(({ call, args }) =>
      call === 'blob.put' ? [(args as { offset: number }).offset] : [],
    );
    expect(offsets.at(-1)).toBeGreaterThan(0);
    await one.blobs.delete(hash);
    expect(hashOf((await one.blobs.get(hash)) ?? new Uint8Array())).toBe(hash);
  });

  test('[S182] what nothing refers to is given back, and what the room lost goes up again within a day', async () => {
    const { room, one, two, online, confirmed, put, name } = await sealedPair();
    const [kept, garbage] = [await put(1), await put(2)];
    await confirmed();
    one.references.hashes.delete(garbage);
    await one.references.collect([garbage]);
    await settle(
      room.clock,
      async () => (await room.storage.blob(await name(garbage)))?.unusedSince !== null,
      'the release',
    );
    await room.storage.removeBlob(await name(kept));
    for (const replica of [one, two]) replica.kill();
    await room.clock.advance(DAY_MS);
    for (const replica of [one, two]) await replica.start();
    await online();
    await settle(
      room.clock,
      async () => (await room.storage.blob(await name(kept)))?.whole === true,
      'going up again',
    );
  });
});

describe('a hostile room', () => {
  const attacks: Record<string, (stored: Stored, hash: string, other: string) => Promise<void>> = {
    'changes a byte': async ({ room, name }, hash) => {
      const bytes = await storedAt(room, await name(hash));
      bytes[30_000] = (bytes[30_000] ?? 0) ^ 1;
      await replace(room, await name(hash), bytes);
    },
    'gives out another blob': async ({ room, name }, hash, other) =>
      replace(room, await name(hash), await storedAt(room, await name(other))),
    'cuts a chunk off': async ({ room, name }, hash) =>
      replace(room, await name(hash), (await storedAt(room, await name(hash))).subarray(0, 5 + MB + 16)),
    'gives out what was sealed before': async (stored, hash) => {
      const { room, name } = stored;
      const old = await storedAt(room, await name(hash));
      await rotate(stored);
      await replace(room, await name(hash, 2), old);
    },
  };

  test.each(Object.entries(attacks))(
    '[S183] one that %s is noticed and named, and nothing of it is taken',
    async (_what, attack) => {
      const stored = await sealedPair();
      const { two, confirmed, put } = stored;
      const [hash, other] = [await put(1, 2 * MB), await put(2)];
      await confirmed();
      await attack(stored, hash, other);
      await expect(two.blobs.get(hash)).rejects.toMatchObject({
        code: 502,
        message: expect.stringMatching(CHANGED),
      });
      expect(two.disk.blobs.has(hash)).toBe(false);
      expect(two.blobs.faults.list()).toMatchObject([
        { name: '', document: 'the contents of a file', words: expect.stringMatching(CHANGED) },
      ]);
      expect(two.blobs.problem).toMatch(CHANGED);
    },
  );

  test('[S183] what it changed is put right from a browser that has it', async () => {
    const stored = await sealedPair();
    const { room, one, two, confirmed, put, name } = stored;
    const hash = await put(1);
    await confirmed();
    await replace(room, await name(hash), content(7));
    await expect(two.blobs.get(hash)).rejects.toMatchObject({ code: 502 });
    await one.blobs.sendAgain();
    await confirmed();
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect([two.blobs.faults.list(), two.blobs.problem]).toEqual([[], null]);
  });

  test('[S183] one that withholds is asked again within a day by whoever has it', async () => {
    const { room, one, two, online, put, confirmed, name } = await sealedPair();
    const hash = await put(1);
    await confirmed();
    const had = await room.storage.blob(await name(hash));
    await room.storage.putBlob(await name(hash), { stored: 0, whole: false, unusedSince: null });
    expect(had?.whole).toBe(true);
    expect(await two.blobs.get(hash)).toBe(undefined);
    for (const replica of [one, two]) replica.kill();
    await room.clock.advance(DAY_MS);
    for (const replica of [one, two]) await replica.start();
    await online();
    await settle(room.clock, async () => (await two.blobs.get(hash)) !== undefined, 'going up again');
  });
});

describe('what a room does not hand out', () => {
  const HAS_IT = /says that it has the contents of a file, and does not hand them out/;

  test('[S202] a room that says that it has contents, and withholds them, is named until it hands them out', async () => {
    const { room, one, two, confirmed, put, name } = await sealedPair();
    const hash = await put(1);
    await confirmed();
    expect((await room.storage.blob(await name(hash)))?.whole).toBe(true);
    room.argsInstead = (call) => (call === 'blob.get' ? { hash: '0'.repeat(64), offset: 0 } : undefined);
    await expect(two.blobs.get(hash)).rejects.toMatchObject({
      code: 502,
      message: expect.stringMatching(HAS_IT),
    });
    expect(two.blobs.faults.list()).toMatchObject([{ name: '', words: expect.stringMatching(HAS_IT) }]);
    expect(one.blobs.faults.list()).toEqual([]);
    room.argsInstead = () => undefined;
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect(two.blobs.faults.list()).toEqual([]);
  });

  test('[S202] what has not come to the room yet, or comes just now, accuses nobody', async () => {
    const { room, one, two, confirmed, put } = await sealedPair();
    expect(await two.blobs.get('0'.repeat(64))).toBe(undefined);
    const hash = await put(1);
    const first = two.blobs.get(hash);
    await confirmed();
    await first;
    expect(await two.blobs.get(hash)).toEqual(content(1));
    expect([...one.blobs.faults.list(), ...two.blobs.faults.list()]).toEqual([]);
    expect(room.calls.some(({ call }) => call === 'blob.get')).toBe(true);
  });

  test('[S202] what it lost of what it had is named to whoever has it, and goes up again', async () => {
    const { room, one, two, online, confirmed, put, name } = await sealedPair();
    const hashes = [await put(1), await put(2)];
    await confirmed();
    const kinds: string[] = [];
    // When they asked last is on their disks.
    for (const { documents } of [one, two]) await documents.flush();
    for (const hash of hashes) await room.storage.removeBlob(await name(hash));
    for (const replica of [one, two]) replica.kill();
    await room.clock.advance(DAY_MS);
    for (const replica of [one, two]) await replica.start();
    one.blobs.faults.onHealed(({ name: document, kind }) => kinds.push(`${document}/${kind}`));
    await online();
    await settle(room.clock, () => kinds.length > 0 && one.waiting === 0, 'going up again');
    expect(kinds).toEqual(['/lost', '/lost']);
    for (const hash of hashes) expect((await room.storage.blob(await name(hash)))?.whole).toBe(true);
    expect(one.blobs.faults.list()).toEqual([]);
  });

  test('[S202] what is asked for under new names is not said to be lost', async () => {
    const stored = await sealedPair();
    const { room, one, two, confirmed, put, name } = stored;
    const hash = await put(1);
    await confirmed();
    const healed: string[] = [];
    for (const { blobs } of [one, two]) blobs.faults.onHealed(({ kind }) => healed.push(kind));
    await room.storage.removeBlob(await name(hash));
    await rotate(stored);
    await settle(
      room.clock,
      async () => (await room.storage.blob(await name(hash, 2)))?.whole === true,
      'going up under the new name',
    );
    expect(healed).toEqual([]);
  });
});

describe('sealing anew', () => {
  test('[S184] after a new key everything is read still, and then stands under that key alone', async () => {
    const stored = await sealedPair();
    const { room, one, two, confirmed, put, name } = stored;
    const hashes = [await put(1), await put(2, 2 * MB), await put(3)];
    await confirmed();
    const keyring = await rotate(stored);
    const [first = '', second = ''] = hashes;
    expect(await two.blobs.get(first)).toEqual(content(1));
    const progress: [number, number][] = [];
    // Not all of them are on the disk of the one that does it.
    await two.blobs.reseal({ keyring, onProgress: (done, total) => progress.push([done, total]) });
    expect(progress).toEqual([[3, 3]]);
    for (const hash of hashes) {
      expect(await room.storage.blob(await name(hash, 1)), 'the old one').toBe(undefined);
      expect((await room.storage.blob(await name(hash, 2)))?.whole).toBe(true);
    }
    for (const replica of [one, two]) {
      await replica.disk.blobStore().delete(second);
      expect(hashOf((await replica.blobs.get(second)) ?? new Uint8Array())).toBe(second);
    }
    const calls = room.calls.length;
    await one.blobs.reseal({ keyring });
    expect(
      room.calls.slice(calls).filter(({ call }) => call === 'blob.put'),
      'nothing is sent twice',
    ).toEqual([]);
  });

  test('[S184] broken off, it goes on; what the room has is always whole under one name', async () => {
    const stored = await sealedPair();
    const { room, one, two, online, confirmed, put, name } = stored;
    const hashes = [await put(1, 2 * MB), await put(2, 2 * MB), await put(3, 2 * MB)];
    await confirmed();
    const keyring = await rotate(stored);
    room.cutAfter = 12;
    await expect(one.blobs.reseal({ keyring })).rejects.toMatchObject({ code: 503 });
    for (const hash of hashes) {
      const whole = await Promise.all(
        [1, 2].map(async (epoch) => (await room.storage.blob(await name(hash, epoch)))?.whole),
      );
      expect(whole).toContain(true);
    }
    await online();
    await turns(5);
    await one.blobs.reseal({ keyring });
    await confirmed();
    for (const hash of hashes) {
      expect(await room.storage.blob(await name(hash, 1))).toBe(undefined);
      expect(hashOf((await two.blobs.get(hash)) ?? new Uint8Array())).toBe(hash);
    }
  });

  test('[S185] what a room had in the clear it has sealed alone, also what is on no disk of a browser', async () => {
    const stored = await sealedPair({ sealed: false });
    const { room, one, two, keyring, confirmed, put, name } = stored;
    const hashes = [await put(1), await put(2)];
    await confirmed();
    const [first = '', second = ''] = hashes;
    await one.blobs.delete(first);
    room.calls.length = 0;
    await one.blobs.reseal({ keyring, fromClear: true });
    for (const replica of [one, two]) await replica.keys.set(keyring);
    await confirmed();
    for (const hash of hashes) {
      expect(await room.storage.blob(hash)).toBe(undefined);
      expect((await room.storage.blob(await name(hash)))?.whole).toBe(true);
    }
    expect(await two.blobs.get(first)).toEqual(content(1));
    expect(await two.blobs.get(second)).toEqual(content(2));
  });

  test('[S185] what another browser stored in the clear meanwhile goes up sealed when it learns of the keys', async () => {
    const { room, two, one, keyring, confirmed, name } = await sealedPair({ sealed: false });
    await one.blobs.reseal({ keyring, fromClear: true });
    const late = await two.blobs.put(content(5));
    for (const replica of [one, two]) replica.references.hashes.add(late);
    await confirmed();
    for (const replica of [one, two]) await replica.keys.set(keyring);
    await settle(
      room.clock,
      async () => (await room.storage.blob(await name(late)))?.whole === true,
      'going up sealed',
    );
  });
});
