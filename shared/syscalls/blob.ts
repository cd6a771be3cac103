import { Type } from 'typebox';
import { Count, declare, Hash, optional, record } from './declare.ts';

const Hashes = Type.Array(Hash, { maxItems: 1000 });

/** Contents by their hash, between a replica and its room (DESIGN 4). */
export const blobSyscalls = {
  'blob.missing': declare({
    doc: 'Which of these blobs the room does not have whole, and how many bytes it has of each.',
    args: record({ hashes: Hashes }),
    result: record({ missing: Type.Array(record({ hash: Hash, stored: Count })) }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
  'blob.put': declare({
    doc: 'Uploads a blob from `offset` on, as bytes beside the call; what arrived is kept when the link breaks. Whole when all `size` bytes are there and have this hash, or `digest` where that is given, since the name of a sealed blob tells nothing of it; other bytes are dropped with 400.',
    args: record({ hash: Hash, size: Count, offset: Count, digest: optional(Hash) }),
    result: record({ stored: Count, whole: Type.Boolean() }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
    bytes: 'in',
  }),
  'blob.get': declare({
    doc: 'Fetches a whole blob from `offset` on, as bytes beside the answer; 404 when the room does not have it whole.',
    args: record({ hash: Hash, offset: Count }),
    result: record({ size: Count }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
    bytes: 'out',
  }),
  'blob.release': declare({
    doc: 'Says that nothing refers to these blobs any more. The room keeps each for 30 days, in which asking for it or uploading it again keeps it for good; with `now` it removes them at once.',
    args: record({ hashes: Hashes, now: optional(Type.Literal(true)) }),
    result: record({ released: Count }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
};
