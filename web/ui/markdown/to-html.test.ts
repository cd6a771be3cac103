import { describe, expect, test } from 'vitest';
import { HOSTILE_HOST, hostileMarkdown } from '../../../tests/support/hostile-markdown.ts';
import { createParser } from './to-html.ts';

const parser = createParser(() => null);
const html = (source: string): string => parser.blocks(source).join('').trim();

const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g;
const harmless = new Set([
  'p',
  'br',
  'hr',
  'em',
  'strong',
  'del',
  'code',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'li',
  'a',
  'img',
  'h1',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]);
const attributes = new Set(['href', 'title', 'class', 'src', 'alt', 'data-language', 'start', 'align']);

/** What is markup in the HTML that is not plainly harmless. */
function suspicious(text: string): string[] {
  const found: string[] = [];
  const rest = text.replace(tag, (whole, _close, name: string, given: string) => {
    if (!harmless.has(name)) found.push(whole);
    for (const [, attribute = '', value = ''] of given.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!attributes.has(attribute)) found.push(whole);
      if (attribute === 'href' && !/^(?:https?:|mailto:)/.test(value)) found.push(whole);
      if (attribute === 'src' && !/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(value)) found.push(whole);
    }
    return '';
  });
  if (rest.includes('<')) found.push(rest);
  return found;
}

describe('Markdown from outside', () => {
  test('[U28] at least 60 hostile texts become harmless HTML before they are sanitised', () => {
    expect(hostileMarkdown.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hostileMarkdown.map(({ name }) => name)).size).toBe(hostileMarkdown.length);
    const harm = hostileMarkdown.flatMap(({ name, source }) =>
      suspicious(html(source)).map((what) => `${name}: ${what}`),
    );
    expect(harm).toEqual([]);
  });

  test('[U28] the check sees what it looks for', () => {
    expect(suspicious('<p>ok</p>')).toEqual([]);
    for (const bad of [
      '<script>',
      '<a href="javascript:1">',
      '<img src="https://x/">',
      '<p onclick="1">',
      '<p',
    ])
      expect(suspicious(bad)).not.toEqual([]);
  });

  test('[U29] links lead only to http, https and mailto; others become their text', () => {
    expect(html('[a](https://example.org/x)')).toBe('<p><a href="https://example.org/x">a</a></p>');
    expect(html('[a](mailto:sam@example.org)')).toContain('href="mailto:sam@example.org"');
    expect(html('[a](javascript:alert(1))')).toBe('<p>a</p>');
    expect(html('[a](/settings)')).toBe('<p>a</p>');
  });

  test('[U30] a remote picture is a link that names its host; a small one in the text is a picture', () => {
    expect(html(`![chart](https://${HOSTILE_HOST}/p.png)`)).toContain(
      `>Picture “chart” from ${HOSTILE_HOST}</a>`,
    );
    expect(html('![dot](data:image/png;base64,iVBORw0KGgo=)')).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="dot">',
    );
    expect(html('![dot](data:image/svg+xml;base64,PHN2Zz4=)')).toBe('<p>[dot]</p>');
  });

  test('[U31] code is highlighted where the language is known, and plain where it is not', () => {
    const coloured = createParser((code, language) =>
      language === 'ts' ? `<span class="hljs-keyword">${code}</span>` : null,
    );
    expect(coloured.blocks('```ts\nlet\n```').join('')).toContain(
      '<pre data-language="ts"><code><span class="hljs-keyword">let</span></code></pre>',
    );
    expect(coloured.blocks('```x"y\n<b>\n```').join('')).toContain(
      '<pre data-language="x"><code>&lt;b&gt;</code></pre>',
    );
  });

  test('[U32] a text is split into blocks, so that only the last one changes while it is streamed', () => {
    const before = parser.blocks('# A\n\nfirst\n\nsec');
    const after = parser.blocks('# A\n\nfirst\n\nsecond');
    expect(after.length).toBe(3);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(parser.blocks('[a][r]\n\n[r]: https://example.org/')).toEqual([
      '<p><a href="https://example.org/">a</a></p>\n',
    ]);
  });
});
