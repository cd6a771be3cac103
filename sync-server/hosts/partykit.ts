import type * as Party from 'partykit/server';
import { type SocketLike, SocketLink } from '../../shared/protocol/socket-link.ts';
import { serveFront } from '../http/front.ts';
import { answerRequest } from '../http/room-requests.ts';
import { Room } from '../room/room.ts';
import { hostList, systemClock, systemRandom } from './ambient.ts';
import { answerClose } from './answer-close.ts';
import { KeyValueStorage, type KeyValues } from './kv-storage.ts';

/** A server is one GSV, so it has one room. */
const ROOM_NAME = 'gsv';

/** The room under `partykit dev`, the development runner: the same core on a key-value store. */
export default class PartyRoom implements Party.Server {
  readonly #party: Party.Room;
  #room: Room | null = null;

  constructor(party: Party.Room) {
    this.#party = party;
  }

  /** Every request and socket that is not a static file. */
  static onFetch(request: Party.Request, lobby: Party.FetchLobby): Promise<Response> {
    // The runner hides what the client can decompress and claims that it can do all.
    const asked = new Request(request as unknown as Request);
    asked.headers.delete('accept-encoding');
    const room = lobby.parties.main?.get(ROOM_NAME);
    if (!room) throw new Error('partykit.json names no main party');
    return serveFront(asked, {
      allowedHosts: hostList(text(lobby.env.ALLOWED_HOSTS)),
      room: async (inner) =>
        (await room.fetch(new URL(inner.url).pathname, inner as RequestInit)) as unknown as Response,
      page: (path) => readFile(lobby, `/page${path}`),
      driver: () => readFile(lobby, '/gsv.mjs'),
    });
  }

  /** The room has one door, which checks Host and Origin: `onFetch`. */
  static onBeforeConnect(): Response {
    return new Response('Sockets are at /ws\n', { status: 404 });
  }

  static onBeforeRequest(): Response {
    return new Response('Not found\n', { status: 404 });
  }

  /** This runner does not hold back requests while an asynchronous start goes on. */
  async onStart(): Promise<void> {
    await this.#party.blockConcurrencyWhile(async () => {
      this.#room = await Room.open({
        storage: new KeyValueStorage(this.#party.storage as unknown as KeyValues),
        clock: systemClock,
        random: systemRandom,
        claimSecret: text(this.#party.env.CLAIM_SECRET),
        fetch: (request) => fetch(request),
      });
    });
  }

  onConnect(connection: Party.Connection): void {
    this.#opened().accept(new SocketLink(connection as unknown as SocketLike));
    answerClose(connection);
  }

  onRequest(request: Party.Request): Promise<Response> {
    return answerRequest(this.#opened(), request as unknown as Request);
  }

  #opened(): Room {
    if (!this.#room) throw new Error('the room has not started');
    return this.#room;
  }
}

/** The runner serves its files itself, so ours lie one folder down, behind the front. */
async function readFile(lobby: Party.FetchLobby, path: string): Promise<Response | null> {
  const response = (await lobby.assets.fetch(`/files${path}`)) as unknown as Response | null;
  return response?.ok ? response : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
