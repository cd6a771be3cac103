/** Addresses at which the server itself answers a person who goes there. */
const SERVERS = /^\/(ws|relay|health|push-key|apps|hooks|oauth)(\/|$)/;

type Asked = Pick<Request, 'method' | 'mode' | 'url' | 'destination'>;

export type Route = { kind: 'page' } | { kind: 'share' } | { kind: 'file'; path: string };

/**
 * What a request asks for: `page` for every address of the page itself, with the path for a file, `share` for what
 * another program hands over; null for what is not the shell's to answer.
 */
export function routeOf(request: Asked, origin: string): Route | null {
  const url = new URL(request.url);
  const shares = request.method === 'POST' && request.mode === 'navigate' && url.pathname === '/share';
  if (shares && url.origin === origin) return { kind: 'share' };
  if (request.method !== 'GET' || url.origin !== origin) return null;
  const isFile = /\.[a-z0-9]+$/i.test(url.pathname);
  if (request.mode === 'navigate') {
    const ours = request.destination === 'document' && !isFile && !SERVERS.test(url.pathname);
    return ours ? { kind: 'page' } : null;
  }
  return isFile ? { kind: 'file', path: url.pathname } : null;
}
