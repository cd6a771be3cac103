import { Marked, type Token, type Tokens } from 'marked';
import { showHidden, tameProse } from '../parts/machine-text.ts';
import { linkAddress, pictureAddress } from './addresses.ts';

/** Code as HTML with highlighting spans, or null when the language is not known (yet). */
export type Highlighter = (code: string, language: string) => string | null;

export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/** As `escapeHtml`, but an entity in the source stays the character that it stands for. */
function escapeText(text: string): string {
  return text
    .split(/(&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});)/)
    .map((part, place) => (place % 2 === 1 ? part : escapeHtml(part)))
    .join('');
}

/**
 * Markdown to HTML, block by block. Raw HTML in the source is shown as text, remote pictures become links, and links that are not
 * http, https or mailto become their text. This is the first of two walls; `sanitise.ts` is the second.
 */
export function createParser(highlight: Highlighter): { blocks(source: string): string[] } {
  const marked = new Marked({ gfm: true, breaks: false });
  marked.use({
    renderer: {
      html: ({ text }) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeHtml(text)),
      // Inside of what looks like a script element, marked takes text for markup that is escaped already.
      text(token) {
        return 'tokens' in token && token.tokens
          ? this.parser.parseInline(token.tokens)
          : escapeText(token.text);
      },
      link({ href, title, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = linkAddress(href);
        if (address === null) return words;
        return `<a href="${escapeHtml(address)}"${titleOf(title)}>${words}</a>`;
      },
      image: ({ href, title, text }) => picture(href, title, text),
      codespan: ({ text }) => `<code>${escapeHtml(showHidden(text))}</code>`,
      code: ({ text, lang }) => codeBlock(text, lang, highlight),
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  });
  const render = (tokens: Token[]): string => marked.parser(tokens);
  return {
    blocks(source) {
      const tokens = marked.lexer(tameProse(source));
      return tokens
        .filter((token) => token.type !== 'space' && token.type !== 'def')
        .map((token) => render([token]));
    },
  };
}

function titleOf(title: Tokens.Link['title']): string {
  return title ? ` title="${escapeHtml(title)}"` : '';
}

function picture(href: string, title: string | null, text: string): string {
  const source = pictureAddress(href);
  const words = escapeHtml(text || title || 'picture');
  if (source !== null) return `<img src="${escapeHtml(source)}" alt="${words}">`;
  const address = linkAddress(href);
  if (address === null) return `[${words}]`;
  return `<a href="${escapeHtml(address)}" class="picture-link">Picture “${words}” from ${escapeHtml(showHidden(new URL(address).host || 'elsewhere'))}</a>`;
}

function codeBlock(text: string, lang: string | undefined, highlight: Highlighter): string {
  const language = /^[\w+#.-]{1,24}/.exec(lang ?? '')?.[0]?.toLowerCase() ?? '';
  const code = showHidden(text);
  const html = highlight(code, language) ?? escapeHtml(code);
  return `<pre data-language="${escapeHtml(language)}"><code>${html}</code></pre>`;
}
