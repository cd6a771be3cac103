import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import {
  acknowledged,
  CLAIM_SECRET,
  type Joined,
  openRoom,
  sendUpdate,
  updateOf,
} from '../../tests/support/room-in-memory.ts';
import { waitFor } from '../../tests/support/server.ts';
import { putToken, systemDocuments } from '../../tests/support/system-doc.ts';

const claimant = { id: 'replica-1', role: 'service', username: 'root', token: CLAIM_SECRET } as const;
const replica = { ...claimant, token: 'gsv_service_one' } as const;
const CHANNEL = 11;

describe('the room alone', () => {
  test('[R59] an update that cannot be written is refused by name, neither applied nor relayed, and its channel closes', async () => {
    const { connect, storage } = await openRoom();
    const kernel = await connect(claimant);
    await kernel.peer.call('doc.open', { doc: 'scratch', channel: CHANNEL });
    storage.failure = new Error('database or disk is full');
    send(kernel, change('lost'));
    await waitFor(() => kernel.signals.some(({ signal }) => signal === 'doc.refused'), 'the refusal');
    expect(kernel.signals.at(-1)).toMatchObject({
      signal: 'doc.refused',
      payload: {
        doc: 'scratch',
        channel: CHANNEL,
        reason: expect.stringContaining('database or disk is full'),
        ended: false,
      },
    });
    storage.failure = null;
    send(kernel, change('on a closed channel'));
    expect((await kernel.peer.call('doc.open', { doc: 'scratch', channel: 13 })).data).toEqual({ seq: 0 });
    expect(kernel.closed()).toBeNull();
    expect(kernel.signals.filter(({ signal }) => signal === 'doc.ack')).toEqual([]);
  });

  test('[R60] a socket that has not signed in within ten seconds is closed', async () => {
    const { open, connect, clock } = await openRoom();
    const idle = open();
    const signedIn = await connect(claimant);
    await clock.advance(9_999);
    expect(idle.closed()).toBeNull();
    await clock.advance(1);
    expect(idle.closed()).toBe('not signed in within 10 s');
    await clock.advance(60_000);
    expect(signedIn.closed()).toBeNull();
  });

  test('[R3] what one claimant left unfinished is not mixed with the next one', async () => {
    const { connect, restart } = await openRoom();
    const first = await connect(claimant);
    await first.peer.call('doc.open', { doc: 'control', channel: CHANNEL });
    const { control: doc } = systemDocuments();
    send(first, Y.encodeStateAsUpdate(doc));
    await waitFor(() => first.signals.length > 0, 'the acknowledgement');
    first.peer.close(1000, 'gone');
    const later = await restart();
    const same = await later.connect(claimant);
    expect((await same.peer.call('doc.open', { doc: 'control', channel: CHANNEL })).data).toEqual({ seq: 1 });
    same.peer.close(1000, 'gone');
    await later.clock.advance(1);
    const next = await later.connect({ ...claimant, id: 'replica-2' });
    expect((await next.peer.call('doc.open', { doc: 'control', channel: CHANNEL })).data).toEqual({ seq: 0 });
  });

  test('[R4] a room that stopped between storing the claim and noting it is claimed when it starts', async () => {
    const { connect, storage, restart } = await openRoom();
    const kernel = await connect(claimant);
    await kernel.peer.call('doc.open', { doc: 'control', channel: CHANNEL });
    const { control: doc, tables } = systemDocuments();
    putToken(tables, replica.token, { uid: 0, kind: 'service', allowedDeviceId: 'replica:replica-1' });
    const put = storage.put.bind(storage);
    storage.put = () => new Promise(() => {});
    send(kernel, Y.encodeStateAsUpdate(doc));
    await waitFor(() => kernel.signals.length > 0, 'the acknowledgement');
    storage.put = put;
    const later = await restart();
    expect(later.room.health.claimed).toBe(true);
    await later.connect(replica);
  });

  test('[R12] a name is free again a minute after its failures', async () => {
    const { connect, clock } = await openRoom();
    const wrong = { ...claimant, token: 'gsv_claim_wrong' };
    for (let at = 0; at < 10; at += 1) await expect(connect(wrong)).rejects.toMatchObject({ code: 401 });
    await expect(connect(wrong)).rejects.toMatchObject({ code: 429, retryable: true });
    await clock.advance(60_000);
    await expect(connect(wrong)).rejects.toMatchObject({ code: 401 });
  });

  test('[R200] whoever has the claim link comes in while others guess', async () => {
    const { connect } = await openRoom();
    const wrong = { ...claimant, token: 'gsv_claim_wrong' };
    for (let at = 0; at < 11; at += 1) await expect(connect(wrong)).rejects.toMatchObject({});
    await connect(claimant);
  });

  test('[R18] a log is replaced by one snapshot every 200 updates, and goes on from its number', async () => {
    const { connect, storage } = await openRoom();
    const kernel = await connect(claimant);
    await kernel.peer.call('doc.open', { doc: 'scratch', channel: CHANNEL });
    const doc = new Y.Doc();
    doc.on('update', (update: Uint8Array) => send(kernel, update));
    for (let at = 0; at < 405; at += 1) {
      doc.getMap('rows').set(`row-${at}`, at);
      if (at % 10 === 0) await Promise.resolve();
    }
    await acknowledged(kernel, CHANNEL, 405);
    const stored = await storage.load('scratch');
    expect(stored.seq).toBe(405);
    expect(stored.updates.length).toBeLessThanOrEqual(206);
    const copy = new Y.Doc();
    for (const update of stored.updates) Y.applyUpdate(copy, update);
    expect(copy.getMap('rows').size).toBe(405);
  });
});

function change(text: string): Uint8Array {
  return updateOf({ text });
}

function send(kernel: Joined, update: Uint8Array): void {
  sendUpdate(kernel, CHANNEL, update);
}
