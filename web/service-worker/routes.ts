/** Addresses at which the server itself answers a person who goes there. */
const SERVERS = /^\/(ws|relay|health|apps|hooks|oauth)(\/|$)/;

type Asked = Pick<Request, 'method' | 'mode' | 'url' | 'destination'>;

/**
 * What a request asks for: `page` for every address of the page itself, with the path for a file; null for what is
 * not the shell's to answer.
 */
export function routeOf(
  request: Asked,
  origin: string,
): { kind: 'page' } | { kind: 'file'; path: string } | null {
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== origin) return null;
  const isFile = /\.[a-z0-9]+$/i.test(url.pathname);
  if (request.mode === 'navigate') {
    const ours = request.destination === 'document' && !isFile && !SERVERS.test(url.pathname);
    return ours ? { kind: 'page' } : null;
  }
  return isFile ? { kind: 'file', path: url.pathname } : null;
}
