import { randomUUID } from 'node:crypto';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { Room } from '../../sync-server/room/room.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryRoomStorage } from './memory-room-storage.ts';
import { connectArgs, type Hello } from './room-client.ts';

export const CLAIM_SECRET = `gsv_claim_${'s'.repeat(43)}`;

/** A connection to a room in this process. */
export type Joined = { peer: Peer; signals: SignalFrame[]; closed: () => string | null };

/** A room with its clock in hand; `restart` opens another on the same storage. */
export async function openRoom(storage = new MemoryRoomStorage(), clock = new ManualClock()) {
  const random = { bytes: (length: number) => new Uint8Array(length), uuid: () => randomUUID() };
  const room = await Room.open({ storage, clock, random, claimSecret: CLAIM_SECRET });
  const open = (): Joined => {
    const [here, there] = ports();
    const signals: SignalFrame[] = [];
    let closed: string | null = null;
    room.accept(new PortLink(there));
    const peer = new Peer(new PortLink(here), 'connecting', clock, {
      call: async () => ({}),
      signal: (frame) => void signals.push(frame),
      closed: (reason) => {
        closed = reason;
      },
    });
    return { peer, signals, closed: () => closed };
  };
  const connect = async (hello: Hello): Promise<Joined> => {
    const joined = open();
    await joined.peer.call('sys.connect', connectArgs(hello));
    return joined;
  };
  return { room, clock, storage, open, connect, restart: () => openRoom(storage, clock) };
}

/** Two ends that hand over what they are given a moment later, in order. */
function ports(): [PortLike, PortLike] {
  const end = (): PortLike & { other: PortLike | null } => {
    const port: PortLike & { other: PortLike | null } = {
      other: null,
      onmessage: null,
      postMessage: (message) => queueMicrotask(() => port.other?.onmessage?.({ data: message })),
      close: () => {},
    };
    return port;
  };
  const [here, there] = [end(), end()];
  here.other = there;
  there.other = here;
  return [here, there];
}
