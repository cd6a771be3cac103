import { refusal } from './guard.ts';
import { plain, secured } from './headers.ts';
import { fileResponse, type ReadFile, servePage } from './page.ts';

/** What the door of the server leads to. */
export type FrontParts = {
  allowedHosts: readonly string[];
  /** The room: sockets, health and the provider relay. */
  room(request: Request): Promise<Response>;
  /** Files of the built page. */
  page: ReadFile;
  /** The driver program, `/gsv.mjs`. */
  driver(): Promise<Response | null>;
};

/** Answers every request of the server: who may ask, then what for. */
export async function serveFront(request: Request, parts: FrontParts): Promise<Response> {
  const refused = refusal(request, parts.allowedHosts);
  const answer = refused === undefined ? await dispatch(request, parts) : plain(403, refused);
  return secured(answer, new URL(request.url).pathname);
}

async function dispatch(request: Request, parts: FrontParts): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (isUpgrade(request) && request.method !== 'GET') return plain(405, 'Method not allowed');
  if (pathname === '/ws')
    return isUpgrade(request) ? parts.room(request) : plain(426, 'This address is a WebSocket');
  if (isUpgrade(request)) return plain(404, 'Sockets are at /ws');
  if (pathname === '/relay')
    return request.method === 'POST' ? parts.room(request) : plain(405, 'Method not allowed');
  if (pathname === '/health' || pathname === '/push-key') return parts.room(request);
  if (pathname === '/gsv.mjs') return serveDriver(request, parts);
  return servePage(request, parts.page);
}

async function serveDriver(request: Request, parts: FrontParts): Promise<Response> {
  const file = await parts.driver();
  return file ? fileResponse(request, '/gsv.mjs', file) : plain(404, 'The driver has not been built yet');
}

function isUpgrade(request: Request): boolean {
  return request.headers.get('upgrade')?.toLowerCase() === 'websocket';
}
