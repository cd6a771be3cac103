import { afterAll, beforeAll, describe } from 'vitest';
import { type ClaimedRoom, claimRoom, type RoomAddress } from '../support/claimed-room.ts';
import { blobRules } from './room-blobs.contract.ts';
import { callRules } from './room-calls.contract.ts';
import { documentRules } from './room-documents.contract.ts';
import { doorRules } from './room-door.contract.ts';
import { claimRules, handshakeRules } from './room-handshake.contract.ts';
import { hostileRules } from './room-hostile.contract.ts';
import { relayRules } from './room-relay.contract.ts';
import { replicaRules } from './room-replicas.contract.ts';

/** A room that has just been started with empty storage. */
export type FreshRoom = RoomAddress & { stop(): Promise<void> };

/**
 * What every host of the room must do. The rules share one room: first unclaimed, then claimed. `hostile` is how
 * many malformed frames it must bear.
 */
export function roomContract(host: string, hostile: number, start: () => Promise<FreshRoom>): void {
  describe(`the room on ${host}`, () => {
    let fresh: FreshRoom;
    let claimed: ClaimedRoom;
    beforeAll(async () => {
      fresh = await start();
    });
    afterAll(() => fresh?.stop());

    claimRules(() => fresh);

    describe('claimed', () => {
      beforeAll(async () => {
        claimed = await claimRoom(fresh);
      });
      const room = (): ClaimedRoom => claimed;
      handshakeRules(room);
      documentRules(room);
      replicaRules(room);
      blobRules(room);
      callRules(room);
      relayRules(room);
      doorRules(room);
      hostileRules(room, hostile);
    });
  });
}
