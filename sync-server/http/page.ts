import { plain } from './headers.ts';

/** Reads a file of the built page by its absolute path; null when there is none. */
export type ReadFile = (path: string) => Promise<Response | null>;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
};
/** Types that shrink; the runtime compresses a body whose content-encoding says so. */
const COMPRESSIBLE = /^(text\/|application\/(json|wasm|manifest))|svg/;
/** Names under /assets/ carry a hash of their content. */
const YEAR = 'public, max-age=31536000, immutable';

/** Serves the page: files as they are, and `index.html` for every address that a person navigates to. */
export async function servePage(request: Request, read: ReadFile): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'Method not allowed');
  const { pathname } = new URL(request.url);
  const file = await readNamed(pathname, read);
  if (file) return fileResponse(request, pathname, file);
  if (pathname !== '/' && !isNavigation(request)) return plain(404, 'Not found');
  const index = await read('/index.html');
  return index ? fileResponse(request, '/index.html', index) : plain(404, 'The page has not been built yet');
}

/** One file of ours with its type, caching and compression. */
export function fileResponse(request: Request, path: string, file: Response): Response {
  const type = TYPES[extension(path)] ?? 'application/octet-stream';
  const headers = new Headers({
    'content-type': type,
    'cache-control': path.startsWith('/assets/') ? YEAR : 'no-cache',
    vary: 'accept-encoding',
  });
  const gzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  if (gzip && COMPRESSIBLE.test(type)) headers.set('content-encoding', 'gzip');
  return new Response(request.method === 'HEAD' ? null : file.body, { headers });
}

/** How files of ours are named. The disk answers what is no path, or too long for one, by an error of its own. */
const PLAIN_PATH = /^(\/[\w.@+-]{1,128}){1,16}$/;

/** Only names with an extension are files; the disk answers others with a listing. */
async function readNamed(pathname: string, read: ReadFile): Promise<Response | null> {
  const isFile = PLAIN_PATH.test(pathname) && TYPES[extension(pathname)] !== undefined;
  return isFile ? read(pathname) : null;
}

function extension(path: string): string {
  return /\.([a-z0-9]+)$/.exec(path)?.[1] ?? '';
}

function isNavigation(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode');
  if (mode !== null) return mode === 'navigate';
  return (request.headers.get('accept') ?? '').includes('text/html');
}
