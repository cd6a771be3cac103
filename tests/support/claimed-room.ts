import type { Doc } from 'yjs';
import type { IncomingCall, Reply } from '../../shared/protocol/peer.ts';
import type { SystemTables } from '../../shared/state/system.ts';
import { type DocumentSync, RoomClient } from './room-client.ts';
import { ALICE, BOB, CAROL, putToken, systemDocuments } from './system-doc.ts';

/** Where a room listens, whichever host runs it. */
export type RoomAddress = { url: string; socketUrl: string; claimSecret: string };

/** Tokens of the claimed room, by what they are for. */
export const tokens = {
  replica: 'gsv_service_replica',
  otherReplica: 'gsv_service_other',
  thirdReplica: 'gsv_service_third',
  alice: 'gsv_user_alice',
  bob: 'gsv_user_bob',
  carol: 'gsv_user_carol',
  laptop: 'gsv_node_laptop',
  bobsAny: 'gsv_node_bob',
  anyDevice: 'gsv_node_any',
} as const;

/** A room that one replica has claimed, with that replica connected. */
export type ClaimedRoom = {
  address: RoomAddress;
  replica: RoomClient;
  doc: Doc;
  tables: SystemTables;
  sync: DocumentSync;
  /** Changes the control document and waits until the room has stored it. */
  change(run: (tables: SystemTables) => void): Promise<void>;
  /** A connection of one of the users. */
  user(name: 'alice' | 'bob' | 'carol' | 'root', token?: string): Promise<RoomClient>;
  /** Another kernel. */
  kernel(id?: 'replica-2' | 'replica-3'): Promise<RoomClient>;
  /** A driver that answers by `answer`. */
  driver(
    id: string,
    answer: (call: IncomingCall) => Promise<Reply>,
    options?: DriverOptions,
  ): Promise<RoomClient>;
};
export type DriverOptions = { username?: string; token?: string; implements?: string[] };

/** Claims a fresh room by its secret. */
export async function claimRoom(address: RoomAddress): Promise<ClaimedRoom> {
  const replica = await RoomClient.open(address.socketUrl);
  await replica.connect({ id: 'replica-1', role: 'service', username: 'root', token: address.claimSecret });
  const { control: doc, tables } = systemDocuments();
  putTokens(tables);
  const sync = await replica.sync('control', doc);
  await sync.settled();
  const join = async (
    client: RoomClient,
    hello: Parameters<RoomClient['connect']>[0],
  ): Promise<RoomClient> => {
    await client.connect(hello);
    return client;
  };
  return {
    address,
    replica,
    doc,
    tables,
    sync,
    change: (run) => {
      doc.transact(() => run(tables));
      return sync.settled();
    },
    user: async (name, token = name === 'root' ? '' : tokens[name]) =>
      join(await RoomClient.open(address.socketUrl), {
        id: `cli-${name}`,
        role: 'user',
        username: name,
        token,
      }),
    kernel: async (id = 'replica-2') =>
      join(await RoomClient.open(address.socketUrl), {
        id,
        role: 'service',
        username: 'root',
        token: id === 'replica-2' ? tokens.otherReplica : tokens.thirdReplica,
      }),
    driver: async (
      id,
      answer,
      { username = 'alice', token = tokens.anyDevice, implements: list = ['fs.*', 'shell.*'] } = {},
    ) =>
      join(await RoomClient.open(address.socketUrl, answer), {
        id,
        role: 'driver',
        username,
        token,
        implements: list,
      }),
  };
}

function putTokens(tables: SystemTables): void {
  putToken(tables, tokens.replica, { uid: 0, kind: 'service', allowedDeviceId: 'replica:replica-1' });
  putToken(tables, tokens.otherReplica, { uid: 0, kind: 'service', allowedDeviceId: 'replica:replica-2' });
  putToken(tables, tokens.thirdReplica, { uid: 0, kind: 'service', allowedDeviceId: 'replica:replica-3' });
  putToken(tables, tokens.alice, { uid: ALICE, kind: 'user' });
  putToken(tables, tokens.bob, { uid: BOB, kind: 'user' });
  putToken(tables, tokens.carol, { uid: CAROL, kind: 'user' });
  putToken(tables, tokens.laptop, {
    uid: ALICE,
    kind: 'node',
    allowedRole: 'driver',
    allowedDeviceId: 'laptop',
  });
  putToken(tables, tokens.anyDevice, { uid: ALICE, kind: 'node' });
  putToken(tables, tokens.bobsAny, { uid: BOB, kind: 'node' });
}
