import type { Room } from '../room/room.ts';
import { plain } from './headers.ts';

/** Answers the requests that the front hands to the room, beside sockets. */
export async function answerRequest(room: Room, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith('/health')) {
    return Response.json(room.health, { headers: { 'cache-control': 'no-store' } });
  }
  if (pathname.endsWith('/push-key'))
    return Response.json({ key: await room.pushKey() }, { headers: { 'cache-control': 'no-store' } });
  if (pathname.endsWith('/relay')) return room.relay(request, (input, init) => fetch(input, init));
  return plain(404, 'Not found');
}
