import type { Clock } from '../../std/clock.ts';
import { checkResult } from '../../syscalls/gate.ts';
import type { Result } from '../../syscalls/table.ts';
import { Leases } from './leases.ts';
import type { Replicas } from './replicas.ts';
import type { RoomLink } from './room-link.ts';

export type RoomLeasesParts = {
  room: RoomLink;
  replicas: Pick<Replicas, 'others'>;
  clock: Clock;
  /** A connection to the room begins: from now on others may see what this replica writes. */
  onConnected(): void;
};

/** The leases that the room of this link grants. */
export function roomLeases({ room, replicas, clock, onConnected }: RoomLeasesParts): Leases {
  // Not `room.online`: documents are exchanged a moment before the link counts as online.
  let connected = false;
  const leases = new Leases(
    {
      get online() {
        return connected;
      },
      needed: () => replicas.others && room.state.kind !== 'alone',
      call: async (name, args) => {
        const { data } = await room.call(name, args);
        return checkResult(name, data) as Result<typeof name>;
      },
    },
    clock,
  );
  room.onPeer(({ ended }) => {
    connected = true;
    onConnected();
    leases.onLink();
    ended.addEventListener('abort', () => {
      connected = false;
      leases.onLink();
    });
  });
  room.onSignal('lease.lost', (payload) => leases.onLost(payload));
  return leases;
}
