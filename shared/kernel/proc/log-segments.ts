/** Bases of one document. Opening a conversation loads the newest of these only, however long it is. */
export const SEGMENT_SIZE = 200;

export const segmentOf = (base: number): number => Math.floor((base - 1) / SEGMENT_SIZE);
export const segmentName = (prefix: string, generation: number, segment: number): string =>
  `${prefix}g${generation}/${String(segment).padStart(6, '0')}`;
