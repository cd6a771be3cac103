import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import { Peer, type PeerHandlers } from '../../shared/protocol/peer.ts';
import { SocketLink } from '../../shared/protocol/socket-link.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { checkResult } from '../../shared/syscalls/gate.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { keepAlive } from './keep-alive.ts';

/** The server could not be reached, or what answered there is no GSV. Its message is for a person. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export type Introduction = Omit<Args<'sys.connect'>, 'protocol' | 'client'> & {
  client: { id: string; role: 'driver' | 'user' };
};
export type Connected = { peer: Peer; welcome: Result<'sys.connect'> };

const HANDSHAKE_MS = 15_000;
/** Text frames are at most a MiB of characters, of up to three bytes each. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

/**
 * Opens a connection and introduces itself. Rejects with Unreachable, or with the SyscallError by which the server
 * refused. `handlers.closed` is called when the connection ends, also when it never became one.
 */
export async function dial(
  socketUrl: string,
  introduction: Introduction,
  clock: Clock,
  handlers: PeerHandlers,
): Promise<Connected> {
  const socket = await openSocket(socketUrl);
  const stopPings = keepAlive(socket, clock);
  const closed = (reason: string): void => {
    stopPings();
    handlers.closed(reason);
  };
  const peer = new Peer(new SocketLink(socket), 'connecting', clock, { ...handlers, closed });
  const client = {
    ...introduction.client,
    version: GSV_VERSION,
    platform: `${process.platform}-${process.arch}`,
  };
  try {
    const { data } = await peer.call(
      'sys.connect',
      { ...introduction, client, protocol: PROTOCOL_VERSION },
      { timeoutMs: HANDSHAKE_MS },
    );
    return { peer, welcome: checkResult('sys.connect', data) as Result<'sys.connect'> };
  } catch (thrown) {
    peer.close(1000, 'not connected');
    throw thrown;
  }
}

function openSocket(socketUrl: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(socketUrl, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: LARGEST_MESSAGE,
      perMessageDeflate: false,
    });
    // Stays for good: an error without a listener would end the program.
    socket.on('error', (error) => reject(new Unreachable(describeFailure(error))));
    socket.once('unexpected-response', (request, response) => reject(refusedUpgrade(request, response)));
    socket.once('open', () => resolve(socket));
  });
}

function refusedUpgrade(request: ClientRequest, response: IncomingMessage): Error {
  request.destroy();
  const status = response.statusCode ?? 0;
  if (status === 401 || status === 403) return new SyscallError(status, response.statusMessage ?? 'Refused');
  return new Unreachable(`what answers there is not a GSV server (HTTP ${status})`);
}

const failures: Record<string, string> = {
  ECONNREFUSED: 'nothing answers there (connection refused)',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'the connection was cut',
};

function describeFailure(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return failures[code] ?? messageOf(error);
}
