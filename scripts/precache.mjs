import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const kB = 1000;
/** Pictures that only what installs or notifies shows. */
const PICTURES = /^(icon|badge).*\.png$/;
/** Without these the page does not open, however large they are. */
const ENTRIES = /^assets\/(index|kernel-worker|signed-in)-/;
/** A part above this, gzipped, is not waited for when the page is installed. */
const FIRST_AT_MOST = 25 * kB;
/** A part above this, gzipped, is not fetched before somebody uses it. */
const LATER_AT_MOST = 500 * kB;

/**
 * How the service worker keeps one file of the build: see `Entry` in web/service-worker/shell-cache.ts.
 * @returns {{url: string, revision: string | null, when: 'first' | 'later' | 'used', size: number}}
 */
export function precacheEntry(folder, url, size) {
  const contents = readFileSync(join(folder, url));
  const hashed = url.startsWith('assets/');
  const revision = hashed ? null : createHash('sha256').update(contents).digest('hex');
  return { url, revision, when: whenOf(url, gzipSync(contents).length), size };
}

function whenOf(url, bytes) {
  if (ENTRIES.test(url)) return 'first';
  if (bytes > LATER_AT_MOST || url.endsWith('.wasm')) return 'used';
  return bytes > FIRST_AT_MOST || PICTURES.test(url) ? 'later' : 'first';
}
