/** Numbers that follow from a seed (mulberry32): each call gives one of at least 0 and less than 1. */
export function fractions(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As `fractions`: each call gives a whole number from 0 to `below - 1`. */
export function numbers(seed: number): (below: number) => number {
  const next = fractions(seed);
  return (below) => Math.floor(next() * below);
}
