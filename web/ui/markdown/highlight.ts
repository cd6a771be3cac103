import { createSignal } from 'solid-js';
import type { Highlighter } from './to-html.ts';

/** More than this is shown plain: colours are not worth a stuck page. */
const LONGEST = 40_000;

/**
 * Highlighting that is fetched when the first block of code is seen. Until then code is plain; `version` changes when
 * it is there, and colours alone change, never the layout.
 */
export function createHighlighter(): { highlight: Highlighter; version: () => number } {
  const [version, setVersion] = createSignal(0);
  let engine: ((code: string, language: string) => string | null) | undefined;
  let asked = false;

  const load = async (): Promise<void> => {
    const loaded = await import('./languages.ts');
    engine = loaded.highlightCode;
    setVersion(1);
  };
  return {
    version,
    highlight(code, language) {
      if (language === '' || code.length > LONGEST) return null;
      if (engine !== undefined) return engine(code, language);
      if (!asked) {
        asked = true;
        // Without it code stays plain, which is no failure.
        load().catch(() => undefined);
      }
      return null;
    },
  };
}
