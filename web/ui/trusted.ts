/**
 * The page's only Trusted Types policy. What it lets through is decided by its three callers: the compiler's own
 * templates, DOMPurify's parser (which sanitises after parsing into an inert document), and this page's worker scripts.
 */
type Policy = { createHTML(html: string): string; createScriptURL(url: string): string };
type Factory = { createPolicy(name: string, rules: Policy): Policy };

const rules: Policy = { createHTML: (html) => html, createScriptURL: ownScript };
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;

/** Goes to DOMPurify, and nowhere else. */
export const gsvPolicy: Policy = factory?.createPolicy('gsv', rules) ?? rules;

/** For Solid's runtime: markup that the compiler wrote into the bundle. */
export function compiledTemplate(html: string): string {
  return gsvPolicy.createHTML(html);
}

/** A script of this origin, as `Worker` and `SharedWorker` want it. Throws for any other address. */
export function trustedScriptUrl(url: string | URL): string {
  return gsvPolicy.createScriptURL(String(url));
}

function ownScript(url: string): string {
  const { origin, href } = new URL(url, location.href);
  if (origin !== location.origin) throw new TypeError(`Not a script of this page: ${origin}`);
  return href;
}
