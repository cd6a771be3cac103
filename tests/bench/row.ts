/** One measured ratio against its peer, both from the same run. Medians; `spread` is of the paired ratios. */
export type Row = {
  name: string;
  ours: number;
  /** What stands beside us. */
  peer: string;
  theirs: number;
  unit: 'ms' | 'kB' | 'frames' | 'points';
  /** `ours / theirs`; at most `budget`, where there is one. */
  ratio: number;
  budget: number | null;
  /** Lowest and highest ratio of the paired runs. */
  spread: [number, number];
  runs: number;
  /** For a budget in added time: `ours - theirs` and what it may be, in `unit`. */
  difference?: number;
  differenceBudget?: number;
};

/** One run of both sides, one right after the other. */
export type Pair = { ours: number; theirs: number };

export type Described = Pick<Row, 'name' | 'peer' | 'unit' | 'budget'>;

export function rowOf(described: Described, pairs: Pair[]): Row {
  const ours = median(pairs.map((pair) => pair.ours));
  const theirs = median(pairs.map((pair) => pair.theirs));
  const ratios = pairs.map((pair) => pair.ours / pair.theirs);
  return {
    ...described,
    ours: rounded(ours),
    theirs: rounded(theirs),
    ratio: rounded(ours / theirs),
    spread: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
    runs: pairs.length,
  };
}

/** A row whose budget is what we may add to the peer's time: the ratio's budget follows from it. */
export function addedRowOf(
  described: Omit<Described, 'budget' | 'unit'>,
  differenceBudget: number,
  pairs: Pair[],
): Row {
  const row = rowOf({ ...described, unit: 'ms', budget: 0 }, pairs);
  const difference = rounded(median(pairs.map((pair) => pair.ours - pair.theirs)));
  return {
    ...row,
    budget: rounded((row.theirs + differenceBudget) / row.theirs),
    difference,
    differenceBudget,
  };
}

export function isWithin(row: Row): boolean {
  if (row.difference !== undefined && row.differenceBudget !== undefined)
    return row.difference <= row.differenceBudget;
  return row.budget === null || row.ratio <= row.budget;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? (high + (sorted[middle - 1] ?? Number.NaN)) / 2 : high;
}

/** Runs both sides `times` times, taking turns at going first, after runs of both that do not count. */
export async function paired(
  times: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  warmUps = 1,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let run = -warmUps; run < times; run += 1) {
    const first = run % 2 === 0 ? await ours() : undefined;
    const other = await theirs();
    const pair = { ours: first ?? (await ours()), theirs: other };
    if (run >= 0) pairs.push(pair);
  }
  return pairs;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
