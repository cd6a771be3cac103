import type { MessageRow } from '../../../shared/state/conversation.ts';

/** The part of a conversation that this page holds: its newest messages, without gaps, oldest first. */
export type Transcript = { rows: readonly MessageRow[]; total: number };

export const emptyTranscript: Transcript = { rows: [], total: 0 };

/** How many older messages there are that the page does not hold. */
export function olderCount(transcript: Transcript): number {
  return Math.max(0, transcript.total - transcript.rows.length);
}

/**
 * Puts the live rows behind the older ones that were fetched before. The live rows are the truth for their range; what
 * was fetched is dropped when it no longer fits before them (the conversation was reset, or begun anew).
 */
export function withLive(held: Transcript, live: readonly MessageRow[], total: number): Transcript {
  const first = live[0];
  if (first === undefined) return { rows: [], total };
  const older = held.rows.filter((row) => row.id < first.id && row.generation === first.generation);
  const fits = older.length + live.length <= total;
  return { rows: fits ? [...older, ...live] : live, total };
}

/** Adds a page of older messages in front. Messages that are held already are not repeated. */
export function withOlder(held: Transcript, page: readonly MessageRow[]): Transcript {
  const first = held.rows[0];
  const older = first === undefined ? page : page.filter((row) => row.id < first.id);
  return { rows: [...older, ...held.rows], total: Math.max(held.total, older.length + held.rows.length) };
}

/** The next page towards the start: what `proc.history` is asked for. Null when everything is held. */
export function olderPage(held: Transcript, size: number): { offset: number; limit: number } | null {
  const missing = olderCount(held);
  if (missing === 0) return null;
  const limit = Math.min(size, missing);
  return { offset: missing - limit, limit };
}
