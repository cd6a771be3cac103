import type { Source } from './sources.ts';

/** Ids of the rules that a specification states, in its order: lines such as `- **F12** An empty name is refused.` */
export function statedRules(spec: string): string[] {
  return [...spec.matchAll(/^- \*\*([A-Z]\d+)\*\* \S/gm)].map((match) => match[1] ?? '');
}

/**
 * Ids that test titles begin with, as in `'[F12] an empty name is refused'`; one title may cite several. A table of
 * cases whose title is `'[%s] …'` cites by the first cell of its rows.
 */
export function citedRules(sources: Source[]): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  const cite = (id: string, path: string): void => void cited.set(id, [...(cited.get(id) ?? []), path]);
  for (const { path, text } of sources) {
    for (const [, ids = ''] of text.matchAll(/['"`]((?:\[[A-Z]\d+\] ?)+)/g)) {
      for (const [id] of ids.matchAll(/[A-Z]\d+/g)) cite(id, path);
    }
    if (!/['"`]\[%s\]/.test(text)) continue;
    for (const [, id = ''] of text.matchAll(/\[\s*['"`]([A-Z]\d+)['"`]/g)) cite(id, path);
  }
  return cited;
}
