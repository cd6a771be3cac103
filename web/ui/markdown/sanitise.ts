import DOMPurify, { type Config } from 'dompurify';
import { gsvPolicy } from '../trusted.ts';
import { linkAddress, pictureAddress } from './addresses.ts';

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ...[
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
      'span',
    ],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'class', 'start', 'align', 'src', 'alt', 'data-language'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
  // The types of DOMPurify ask for the browser's own TrustedTypePolicy; `gsvPolicy` is it where the browser has them.
  TRUSTED_TYPES_POLICY: gsvPolicy as unknown as Config['TRUSTED_TYPES_POLICY'],
};

const classes = /^(?:hljs-[\w-]+|language-[\w-]+|function_|class_|inherited__|picture-link)$/;

/**
 * Makes the last step before the page: nothing changes the HTML after it. It returns nodes and not text, so that
 * nothing is parsed a second time in another way.
 */
export function createSanitiser(): (html: string) => DocumentFragment {
  const purify = DOMPurify(window);
  purify.addHook('afterSanitizeAttributes', tame);
  return (html) => purify.sanitize(html, config);
}

function tame(element: Element): void {
  if (element.tagName === 'A') tameLink(element);
  if (element.tagName === 'IMG' && pictureAddress(element.getAttribute('src') ?? '') === null)
    element.remove();
  if (element.tagName !== 'IMG') element.removeAttribute('src');
  const kept = [...element.classList].filter((name) => classes.test(name));
  if (kept.length === 0) element.removeAttribute('class');
  else element.setAttribute('class', kept.join(' '));
}

function tameLink(link: Element): void {
  const address = linkAddress(link.getAttribute('href') ?? '');
  if (address === null) {
    link.removeAttribute('href');
    return;
  }
  link.setAttribute('href', address);
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer');
}
