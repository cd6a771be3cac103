import * as encoding from 'lib0/encoding';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { NO_HASH } from '../../shared/kernel/seal/entry.ts';
import { logMessages } from '../../shared/kernel/seal/log-message.ts';
import { controlTables } from '../../shared/state/control.ts';
import type { ClaimedRoom } from '../support/claimed-room.ts';
import type { RoomClient } from '../support/room-client.ts';
import { sealedWriter } from '../support/sealed-writer.ts';
import { waitFor } from '../support/server.ts';

export function documentRules(room: () => ClaimedRoom): void {
  const replica = (): Promise<RoomClient> => room().kernel();

  describe('documents', () => {
    test('[R15] a replica gets what another one stored, and later changes as they happen, both ways', async () => {
      const client = await replica();
      const copy = new Y.Doc();
      const sync = await client.sync('control', copy);
      await sync.settled();
      const tables = controlTables(copy);
      expect(tables.users.get('1000')?.username).toBe('alice');
      await room().change((own) => own.config.put('config/server/name', { value: 'ship' }));
      await waitFor(() => tables.config.get('config/server/name')?.value === 'ship', 'the change to arrive');
      tables.config.put('config/server/timezone', { value: 'Europe/Vienna' });
      await waitFor(
        () => room().tables.config.get('config/server/timezone') !== undefined,
        'the answer to arrive',
      );
      await client.close();
    });

    test('[R16] every update is acknowledged in order with its number in the log', async () => {
      const client = await replica();
      const doc = new Y.Doc();
      const sync = await client.sync('scratch/acks', doc);
      for (let at = 0; at < 20; at += 1) doc.getMap('rows').set(`row-${at}`, at);
      await sync.settled();
      const acks = client.signals
        .filter(({ signal }) => signal === 'doc.ack')
        .map(({ payload }) => payload as { count: number; seq: number });
      const rising = (numbers: number[]): boolean =>
        numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
      expect(rising(acks.map(({ count }) => count))).toBe(true);
      expect(rising(acks.slice(1).map(({ seq }) => seq))).toBe(true);
      expect(acks.at(-1)).toMatchObject({ count: 21, seq: 20 });
      await client.close();
    });

    test('[R17] an update that changes nothing is acknowledged and does not grow the log', async () => {
      const doc = new Y.Doc();
      doc.getMap('rows').set('one', 1);
      const first = await replica();
      await (await first.sync('scratch/same', doc)).settled();
      const before = (await first.call('doc.open', { doc: 'scratch/same', channel: 4001 })).data;
      await first.close();
      const second = await replica();
      await (await second.sync('scratch/same', doc)).settled();
      expect((await second.call('doc.open', { doc: 'scratch/same', channel: 4003 })).data).toEqual(before);
      await second.close();
    });

    test('[R18] documents do not mix, and are compacted without losing anything', async () => {
      const doc = new Y.Doc();
      const client = await replica();
      const sync = await client.sync('scratch/long', doc);
      for (let at = 0; at < 450; at += 1) doc.getMap('rows').set(`row-${at}`, 'x'.repeat(at));
      await sync.settled();
      await client.close();
      const reader = await replica();
      const copy = new Y.Doc();
      await (await reader.sync('scratch/long', copy)).settled();
      expect(copy.getMap('rows').toJSON()).toEqual(doc.getMap('rows').toJSON());
      expect([...copy.share.keys()]).toEqual(['rows']);
      await reader.close();
    });

    test('[R19] an update larger than one stored value comes back whole', async () => {
      const doc = new Y.Doc();
      const bytes = new Uint8Array(700_000).map((_, at) => at * 31);
      doc.getMap('rows').set('big', bytes);
      const client = await replica();
      await (await client.sync('scratch/big', doc)).settled();
      await client.close();
      const reader = await replica();
      const copy = new Y.Doc();
      await (await reader.sync('scratch/big', copy)).settled();
      expect(Buffer.compare(copy.getMap('rows').get('big') as Uint8Array, bytes)).toBe(0);
      await reader.close();
    });

    test('[R70] a channel closes after what was sent on it is stored, and its number may be used again', async () => {
      const client = await replica();
      const doc = new Y.Doc();
      const sync = await client.sync('scratch/closing', doc);
      for (let at = 0; at < 30; at += 1) doc.getMap('rows').set(`row-${at}`, at);
      expect((await client.call('doc.close', { channel: sync.channel })).data).toEqual({ closed: true });
      expect(sync.acknowledged).toBeGreaterThanOrEqual(30);
      expect((await client.call('doc.close', { channel: sync.channel })).data).toEqual({ closed: false });
      const args = { doc: 'scratch/closing', channel: sync.channel };
      expect((await client.call('doc.open', args)).data).toEqual({ seq: 30 });
      await client.close();
    });

    test('[R150] the log of a sealed document is kept, and goes on where a replica has read it', async () => {
      const client = await replica();
      const writer = sealedWriter('contract');
      const entries = [await writer.entry(), await writer.entry()];
      const open = (since: number, hash: string) =>
        client.call('log.open', { doc: 'scratch/log', channel: 71, since, hash });
      await open(0, NO_HASH);
      for (const { bytes } of entries) {
        for (const message of logMessages('entry', 0, bytes)) client.peer.sendBytes(71, message);
      }
      expect((await client.call('doc.close', { channel: 71 })).data).toEqual({ closed: true });
      expect((await open(2, entries[1]?.hash ?? NO_HASH)).data).toEqual({ seq: 2 });
      expect((await client.call('doc.remove', { docs: ['scratch/log'] })).data).toEqual({ removed: 1 });
      expect((await open(0, NO_HASH)).data).toEqual({ seq: 0 });
      await client.close();
    });

    test('[R71] a removed document is gone, and whoever has it open is told', async () => {
      const client = await replica();
      const other = await room().kernel('replica-3');
      const doc = new Y.Doc();
      doc.getMap('rows').set('big', new Uint8Array(300_000));
      await (await client.sync('scratch/removed', doc)).settled();
      await other.call('doc.open', { doc: 'scratch/removed', channel: 7 });
      const docs = ['scratch/removed', 'scratch/never'];
      expect((await client.call('doc.remove', { docs })).data).toEqual({ removed: 1 });
      expect(await other.signal('doc.refused')).toEqual({
        doc: 'scratch/removed',
        channel: 7,
        ended: true,
        reason: 'This document was removed',
      });
      expect((await other.call('doc.open', { doc: 'scratch/removed', channel: 7 })).data).toEqual({ seq: 0 });
      await Promise.all([client.close(), other.close()]);
    });

    test('[R72] `control`, `system` and `fs` cannot be removed', async () => {
      for (const name of ['control', 'system', 'fs'])
        await expect(room().replica.call('doc.remove', { docs: [name] })).rejects.toMatchObject({
          code: 400,
        });
    });

    test('[R73] a document that was closed is read again from what is stored', async () => {
      const client = await replica();
      for (let at = 0; at < 30; at += 1) {
        const doc = new Y.Doc();
        doc.getMap('rows').set('at', at);
        const sync = await client.sync(`scratch/many/${at}`, doc);
        await sync.settled();
        await client.call('doc.close', { channel: sync.channel });
      }
      const copy = new Y.Doc();
      await (await client.sync('scratch/many/12', copy)).settled();
      expect(copy.getMap('rows').get('at')).toBe(12);
      await client.close();
    });

    test('[R20] only kernels open documents', async () => {
      const user = await room().user('alice');
      await expect(user.call('doc.open', { doc: 'system', channel: 1 })).rejects.toMatchObject({ code: 403 });
      await user.close();
    });

    test('[R21] a channel carries one document, and a document needs a proper name', async () => {
      const client = await replica();
      await client.call('doc.open', { doc: 'system', channel: 7 });
      await expect(client.call('doc.open', { doc: 'system', channel: 7 })).rejects.toMatchObject({
        code: 409,
      });
      await expect(client.call('doc.open', { doc: '../etc', channel: 9 })).rejects.toMatchObject({
        code: 400,
      });
      await client.close();
    });

    const update = Y.encodeStateAsUpdate(sampleDocument());
    test.each([
      ['an unknown message', new Uint8Array([9, 9])],
      ['an unknown step', new Uint8Array([0, 7, 0])],
      ['an empty message', new Uint8Array()],
      ['a truncated message', new Uint8Array([0, 2, 200])],
      ['a length without end', new Uint8Array([0, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255])],
      ['a truncated update', framed(2, update.subarray(0, update.length - 3))],
      ['an update of noise', framed(2, new Uint8Array(40).fill(0xfe))],
      ['a state vector of noise', framed(0, new Uint8Array(12).fill(0xff))],
    ])('[R22] %s closes that connection alone, with a reason', async (_name, bytes) => {
      const client = await replica();
      await client.call('doc.open', { doc: 'scratch/noise', channel: 7 });
      client.peer.sendBytes(7, bytes);
      expect(await client.closed()).toMatchObject({
        code: 1002,
        reason: expect.stringMatching(/malformed|unknown/),
      });
      expect(room().replica.peer.closed).toBe(false);
    });
  });
}

function sampleDocument(): Y.Doc {
  const doc = new Y.Doc();
  doc.getMap('rows').set('one', { value: 'text' });
  return doc;
}

function framed(step: number, payload: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, 0);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, payload);
  return encoding.toUint8Array(encoder);
}
