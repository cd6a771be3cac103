import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { systemTables } from '../../shared/state/system.ts';
import { RoomClient } from '../support/room-client.ts';
import { putToken, systemDocument } from '../support/system-doc.ts';

export type RoomUnderTest = { url: string; socketUrl: string; claimSecret: string; stop(): Promise<void> };

export function roomContract(host: string, start: () => Promise<RoomUnderTest>): void {
  describe(host, () => {
    let room: RoomUnderTest;
    beforeAll(async () => {
      room = await start();
    });
    afterAll(() => room.stop());

    test('[R1] smoke', async () => {
      const client = await RoomClient.open(room.socketUrl);
      await client.connect({ id: 'replica-1', role: 'service', username: 'root', token: room.claimSecret });
      const { doc, tables } = systemDocument();
      putToken(tables, 'gsv_service_replica1', { uid: 0, kind: 'service', allowedDeviceId: 'replica:replica-1' });
      const sync = await client.sync('system', doc);
      await sync.settled();
      expect(await (await fetch(`${room.url}/health`)).json()).toEqual({ ok: true, claimed: true, version: '0.1.0' });
      const other = await RoomClient.open(room.socketUrl);
      await other.connect({ id: 'replica-1', role: 'service', username: 'root', token: 'gsv_service_replica1' });
      const copy = new Y.Doc();
      await (await other.sync('system', copy)).settled();
      expect(systemTables(copy).users.get('1000')?.username).toBe('alice');
    });
  });
}
