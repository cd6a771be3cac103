import { Type } from 'typebox';
import { Channel, Count, declare, Empty, Hash, Name, record } from './declare.ts';

/** Between a replica and its room. */
export const docSyscalls = {
  'doc.open': declare({
    doc: 'Opens the sync channel of one document between a replica and its room; y-protocols messages follow as binary frames on `channel`, and the room confirms stored updates by `doc.ack` signals. In a sealed GSV every document but `control` is refused with 409.',
    args: record({ doc: Name, channel: Channel }),
    result: record({ seq: Count }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
  'log.open': declare({
    doc: 'Opens the channel of the log of one sealed document between a replica and its room; log messages follow as binary frames on `channel`. `since` is the number of the newest entry that the replica has read and `hash` that entry’s SHA-256; the room says what follows it, or everything when it has no such entry.',
    args: record({ doc: Name, channel: Channel, since: Count, hash: Hash }),
    result: record({ seq: Count }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
  'doc.close': declare({
    doc: 'Ends a sync channel. What was sent on it before is stored first.',
    args: record({ channel: Channel }),
    result: record({ closed: Type.Boolean() }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
  'doc.clear': declare({
    doc: 'Removes everything that the room of a sealed GSV stores in the clear beside the `control` document: what was there before it was sealed. Answers 409 while it is not.',
    args: Empty,
    result: record({ removed: Count }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
  'doc.remove': declare({
    doc: 'Removes what the room stores of documents that are not needed any more. Open channels of them end with a `doc.refused` signal. The `control`, `system` and `fs` documents are refused.',
    args: record({ docs: Type.Array(Name, { maxItems: 1000 }) }),
    result: record({ removed: Count }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
};
