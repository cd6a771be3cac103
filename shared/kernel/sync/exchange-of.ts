import type * as Y from 'yjs';
import type { Peer } from '../../protocol/peer.ts';
import { IN_CLEAR } from '../../state/seal.ts';
import type { DocExchange, DocExchangeEvents } from './doc-exchange.ts';
import { DocSync } from './doc-sync.ts';
import { LogRepair } from './log-repair.ts';
import { PublishedSync } from './published-sync.ts';
import { SealedSync } from './sealed-sync.ts';
import type { Sealing } from './sealing.ts';

export type Exchanged = {
  name: string;
  doc: Y.Doc;
  events: DocExchangeEvents;
  /** Whether there are changes that the room may not have. */
  unconfirmed(): boolean;
};

/** How a document is kept in step with the room: as a log that it cannot read, as it is, or both. */
export function exchangeOf(sealing: Sealing | null, peer: Peer, exchanged: Exchanged): DocExchange {
  const { name, doc, events, unconfirmed } = exchanged;
  const sealed = sealing?.of(name);
  if (!sealed) return new DocSync(peer, { name, doc, taking: sealing?.takingOf(name) ?? doc }, events);
  const over = sealing?.repairOf(name);
  if (over) return new LogRepair(peer, name, doc, { ...sealed, over }, events);
  const log = new SealedSync(peer, name, doc, { ...sealed, unconfirmed }, events);
  if (!IN_CLEAR.has(name)) return log;
  return new PublishedSync(log, new DocSync(peer, { name, doc, taking: null }, events));
}
