export type DiffLine = { kind: 'added' | 'removed' | 'same'; text: string };

export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The difference without looking for what is common: right, but not the shortest. */
export function plainDiff(before: string, after: string): DiffLine[] {
  return [
    ...splitLines(before).map((text): DiffLine => ({ kind: 'removed', text })),
    ...splitLines(after).map((text): DiffLine => ({ kind: 'added', text })),
  ];
}
