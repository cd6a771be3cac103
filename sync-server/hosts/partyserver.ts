import { type Connection, Server } from 'partyserver';
import { type SocketLike, SocketLink } from '../../shared/protocol/socket-link.ts';
import { type FrontParts, serveFront } from '../http/front.ts';
import { answerRequest } from '../http/room-requests.ts';
import { Room } from '../room/room.ts';
import { hostList, systemClock, systemRandom } from './ambient.ts';
import { answerClose } from './answer-close.ts';
import { SqlStorage } from './sql-storage.ts';

/** Bindings of the worker, written by the supervisor or by the owner's own deployment. */
export type Env = {
  ROOM: DurableObjectNamespace<RoomServer>;
  /** The built files: `/page/…` and `/gsv.mjs`. */
  FILES: Fetcher;
  CLAIM_SECRET?: string;
  /** Comma-separated host names beside localhost. */
  ALLOWED_HOSTS?: string;
};

/** A server is one GSV, so it has one room. */
const ROOM_NAME = 'gsv';

/** The room as a Durable Object: gives the core its storage and its sockets. */
export class RoomServer extends Server<Env> {
  #room: Room | null = null;

  override async onStart(): Promise<void> {
    this.#room = await Room.open({
      storage: new SqlStorage(this.ctx.storage),
      clock: systemClock,
      random: systemRandom,
      claimSecret: this.env.CLAIM_SECRET ?? '',
      fetch: (request) => fetch(request),
    });
  }

  override onConnect(connection: Connection): void {
    this.#opened().accept(new SocketLink(connection as SocketLike));
    answerClose(connection);
  }

  /** The core listens to the socket itself. */
  override onMessage(): void {}

  override onError(): void {}

  override onRequest(request: Request): Promise<Response> {
    return answerRequest(this.#opened(), request);
  }

  #opened(): Room {
    if (!this.#room) throw new Error('the room has not started');
    return this.#room;
  }
}

function parts(env: Env): FrontParts {
  const read = async (path: string): Promise<Response | null> => {
    const response = await env.FILES.fetch(`http://files${path}`);
    return response.ok ? response : null;
  };
  return {
    allowedHosts: hostList(env.ALLOWED_HOSTS),
    room: (request) => env.ROOM.get(env.ROOM.idFromName(ROOM_NAME)).fetch(request),
    page: (path) => read(`/page${path}`),
    driver: () => read('/gsv.mjs'),
  };
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => serveFront(request, parts(env)),
};
