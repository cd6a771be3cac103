import type { Peer } from '../../protocol/peer.ts';
import { askRoom } from './ask-room.ts';
import type { Outbox } from './outbox.ts';

/** Of one call. */
const REMOVALS = 1000;

/** Tells the room which documents are no more; `told` is called after each call. Rejects as the room refuses. */
export async function tellRemovals(outbox: Outbox, peer: Peer, told: () => void): Promise<void> {
  for (;;) {
    const docs = outbox.removals().slice(0, REMOVALS);
    if (docs.length === 0) return;
    await askRoom(peer, 'doc.remove', { docs });
    outbox.forgetRemovals(docs);
    told();
  }
}
