/**
 * Ids of messages: `base * 2^20 + writer * 2^10 + place`, at most 16 digits. A block is a row of messages of one run
 * by one writer. Its base is the number of messages before it, as its writer saw them, plus one; `writer` is the number
 * of the replica, `place` counts inside the block. So ids are unique and in order without asking anybody, and two
 * replicas that append apart merge run by run. An id below 2^20 is of an older version: it is the base alone.
 */
export type MessagePlace = { base: number; writer: number; place: number };

/** Messages of one block, and replicas of one GSV. */
export const BLOCK_SIZE = 2 ** 10;
const BASE = 2 ** 20;

export function messageId({ base, writer, place }: MessagePlace): number {
  if (writer >= BLOCK_SIZE || place >= BLOCK_SIZE) throw new Error('No id is left for this message');
  return base * BASE + writer * BLOCK_SIZE + place;
}

/** Whether it is an id of an older version. */
export const isBaseAlone = (id: number): boolean => id < BASE;

export function placeOf(id: number): MessagePlace {
  if (isBaseAlone(id)) return { base: id, writer: 0, place: 0 };
  const inBase = id % BASE;
  return { base: Math.floor(id / BASE), writer: Math.floor(inBase / BLOCK_SIZE), place: inBase % BLOCK_SIZE };
}

/** Digits of the longest id. */
const DIGITS = 16;

/** Keys that sort as their ids. */
export const idKey = (id: number): string => String(id).padStart(DIGITS, '0');
