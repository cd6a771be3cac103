import { expect } from 'vitest';
import { type Attack, attacks } from './hostile-room.ts';
import { hostileRun } from './hostile-run.ts';

/** What was seen of each kind of attack, of some seeds. */
export type Seen = Map<Attack, { runs: number; noticed: number }>;

/** Runs them one after the other. In each, nobody is deceived, nothing is forged, and nothing is lost. */
export async function hostileSeeds(seeds: readonly number[]): Promise<Seen> {
  const seen: Seen = new Map(attacks.map((attack) => [attack, { runs: 0, noticed: 0 }]));
  for (const seed of seeds) {
    const { attack, faults, ...outcome } = await hostileRun(seed);
    expect(outcome, `seed ${seed}, ${attack}`).toEqual({ deceived: [], forged: [], whole: true });
    const tally = seen.get(attack);
    if (!tally) throw new Error(`An unknown attack: ${attack}`);
    tally.runs += 1;
    if (faults.length > 0) tally.noticed += 1;
  }
  return seen;
}

export function numbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}
