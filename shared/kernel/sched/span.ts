const UNITS: [name: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** Milliseconds of `90s`, `15m`, `1h30m`, `2d`; null for anything else. */
export function parseSpan(text: string): number | null {
  const found = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (text === '' || !found) return null;
  return UNITS.reduce((sum, [, ms], index) => sum + Number(found[index + 1] ?? 0) * ms, 0);
}

/** The shortest text that `parseSpan` reads as this, in whole seconds. */
export function spanText(ms: number): string {
  let left = Math.round(ms / 1_000) * 1_000;
  const parts = UNITS.flatMap(([name, unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count > 0 ? [`${count}${name}`] : [];
  });
  return parts.join('') || '0s';
}
