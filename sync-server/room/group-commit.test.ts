import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { acknowledged, ask, claimedRoom, openRoom, sendUpdate } from '../../tests/support/room-in-memory.ts';
import { waitFor } from '../../tests/support/server.ts';
import { RoomDocument } from './document.ts';

const ROWS = 60;

/** A document whose writes take until they are let go, and what was written at once. */
async function slowDocument() {
  const { storage } = await openRoom();
  const writes: number[] = [];
  const append = storage.append.bind(storage);
  let goOn = (): void => {};
  storage.append = async (doc, updates) => {
    writes.push(updates.length);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return append(doc, updates);
  };
  return { document: await RoomDocument.load(storage, 'scratch'), writes, goOn: () => goOn() };
}

function updates(): Uint8Array[] {
  const doc = new Y.Doc();
  const made: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => made.push(update));
  for (let at = 0; at < ROWS; at += 1) doc.getMap('rows').set(`row-${at}`, at);
  return made;
}

describe('writes of the room', () => {
  test('[R114] what comes while a write is going on is written at once', async () => {
    const { document, writes, goOn } = await slowDocument();
    const [first, ...others] = updates();
    const stored = [document.store(first ?? new Uint8Array(), 'one', false)];
    await waitFor(() => writes.length === 1, 'the first write');
    stored.push(...others.map((update) => document.store(update, 'one', false)));
    goOn();
    await waitFor(() => writes.length === 2, 'the second write');
    goOn();
    expect((await Promise.all(stored)).at(-1)).toBe(ROWS);
    expect(writes).toEqual([1, ROWS - 1]);
    expect(document.doc.getMap('rows').size).toBe(ROWS);
  });

  test('[R131] an update is passed on before it is stored, and applied and acknowledged after', async () => {
    const { document, writes, goOn } = await slowDocument();
    const heard: unknown[] = [];
    let changes = 0;
    document.listen({ came: (_update, origin) => heard.push(origin), changed: () => (changes += 1) });
    let acknowledged = 0;
    const stored = updates().map((update, at) =>
      document.store(update, at < 40 ? 'one' : 'two', false).then(() => (acknowledged += 1)),
    );
    await waitFor(() => writes.length === 1, 'the write');
    expect(heard).toEqual(['one', 'one', 'two']);
    expect([changes, acknowledged, document.doc.getMap('rows').size]).toEqual([0, 0, 0]);
    goOn();
    await Promise.all(stored);
    expect([changes, acknowledged, document.doc.getMap('rows').size]).toEqual([1, ROWS, ROWS]);
    expect(heard).toHaveLength(3);
  });

  test('[R131] who begins to listen while an update is written hears of it once, when it is stored', async () => {
    const { document, writes, goOn } = await slowDocument();
    const [early, late] = [new Y.Doc(), new Y.Doc()];
    const sizes = (): number[] => [early, late].map((doc) => doc.getMap('rows').size);
    document.listen({ came: (update) => Y.applyUpdate(early, update) });
    const stored = updates().map((update) => document.store(update, 'one', false));
    await waitFor(() => writes.length === 1, 'the write');
    document.listen({ came: (update) => Y.applyUpdate(late, update) });
    expect(sizes()).toEqual([ROWS, 0]);
    goOn();
    await Promise.all(stored);
    expect(sizes()).toEqual([ROWS, ROWS]);
  });

  test('[R131] what the disk refuses is not in the room’s state although others have it, and comes again', async () => {
    const { storage } = await openRoom();
    const document = await RoomDocument.load(storage, 'scratch');
    const other = new Y.Doc();
    document.listen({ came: (update) => Y.applyUpdate(other, update) });
    storage.failure = new Error('the disk is full');
    const [update = new Uint8Array()] = updates();
    await expect(document.store(update, 'one', false)).rejects.toThrow('the disk is full');
    expect([document.doc.getMap('rows').size, other.getMap('rows').size]).toEqual([0, 1]);
    storage.failure = null;
    const answer = Y.encodeStateAsUpdate(other, Y.encodeStateVector(document.doc));
    await document.store(answer, 'two', true);
    expect((await RoomDocument.load(storage, 'scratch')).doc.getMap('rows').size).toBe(1);
  });

  test('[R114] it waits for what has reached the host before it writes', async () => {
    const { storage } = await openRoom();
    const made = updates();
    const document = await RoomDocument.load(storage, 'scratch');
    const writes: number[] = [];
    const append = storage.append.bind(storage);
    storage.append = async (doc, batch) => {
      writes.push(batch.length);
      return append(doc, batch);
    };
    const stored: Promise<number>[] = [];
    const arrive = (): void => {
      const next = made.shift();
      if (next) stored.push(document.store(next, 'one', false));
    };
    // A host that hands over one message in a turn, as long as there are any.
    storage.turn = async () => arrive();
    arrive();
    arrive();
    await waitFor(() => stored.length === ROWS, 'the last one');
    await Promise.all(stored);
    expect(writes).toEqual([ROWS]);
  });

  test('[R115] what was stored together is acknowledged once', async () => {
    const { founder, storage } = await claimedRoom();
    const acks = () =>
      founder.signals.flatMap(({ signal, payload }) => (signal === 'doc.ack' ? [payload] : []));
    const before = acks().length;
    storage.turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    await ask(founder, 'doc.open', { doc: 'scratch', channel: 31 });
    for (const update of updates()) sendUpdate(founder, 31, update);
    await acknowledged(founder, 31, ROWS);
    const told = acks().slice(before);
    expect(told.length).toBeLessThan(5);
    expect(told.at(-1)).toEqual({ channel: 31, count: ROWS, seq: ROWS });
  });
});
