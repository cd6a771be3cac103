/** Bases of one document. Opening a conversation loads the newest of these only, however long it is. */
export const SEGMENT_SIZE = 200;

export const segmentOf = (base: number): number => Math.floor((base - 1) / SEGMENT_SIZE);
export const segmentName = (prefix: string, generation: number, segment: number): string =>
  `${prefix}g${generation}/${String(segment).padStart(6, '0')}`;

export type SegmentPart = { n: number; from: number; to: number };

/**
 * Where the messages from position `offset` on stand, `limit` at most, in segments of which so many are known. `to` may
 * lie beyond these: what has come meanwhile counts.
 */
export function segmentParts(
  segments: readonly { n: number; size: number }[],
  offset: number,
  limit: number,
): SegmentPart[] {
  const parts: SegmentPart[] = [];
  const first = Math.max(0, offset);
  let at = 0;
  for (const { n, size } of segments) {
    const part = { n, from: Math.max(0, first - at), to: first + limit - at };
    if (part.from < size && part.to > 0) parts.push(part);
    at += size;
  }
  return parts;
}
