import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = process.env.GSV_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
/** Where the built page lies. */
export const builtPage = join(dist, 'page');
const ENTRY = /"revision":(?:"([0-9a-f]{64})"|null),"url":"([^"]+)","when":"(first|later|used)"/g;

export type Precached = { url: string; when: string; gzipped: number };

/** What the built service worker keeps, as it stands in its file. */
export function precached(): Precached[] {
  const text = readFileSync(join(builtPage, 'sw.js'), 'utf8');
  return [...text.matchAll(ENTRY)].map(([, , url = '', when = '']) => ({
    url,
    when,
    gzipped: gzippedSize(url),
  }));
}

/** Bytes of a file of the built page as they are sent. `path` is relative to the page. */
export function gzippedSize(path: string): number {
  return gzipSync(readFileSync(join(builtPage, path))).length;
}
