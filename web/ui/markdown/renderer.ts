import { createHighlighter } from './highlight.ts';
import { createSanitiser } from './sanitise.ts';
import { createParser } from './to-html.ts';

/** Blocks kept as nodes, ready to be cloned. The oldest go first. */
const CACHED_BLOCKS = 600;

export type MarkdownRenderer = {
  /** The HTML of each block; not to be shown before it went through `fragment`. */
  blocks(source: string): string[];
  /** Sanitised nodes. */
  fragment(html: string): DocumentFragment;
  /** Changes when blocks of the same source may look different. */
  version(): number;
};

export function createMarkdownRenderer(): MarkdownRenderer {
  const { highlight, version } = createHighlighter();
  const parser = createParser(highlight);
  const sanitise = createSanitiser();
  const cache = new Map<string, DocumentFragment>();
  return {
    version,
    blocks: (source) => parser.blocks(source),
    fragment(html) {
      let made = cache.get(html);
      if (made === undefined) {
        made = sanitise(html);
        if (cache.size >= CACHED_BLOCKS) cache.delete(cache.keys().next().value ?? '');
        cache.set(html, made);
      }
      return made.cloneNode(true) as DocumentFragment;
    },
  };
}
