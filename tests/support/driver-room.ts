import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { type CallOptions, type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import { SocketLink } from '../../shared/protocol/socket-link.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { checkArgs, checkName, checkResult } from '../../shared/syscalls/gate.ts';
import { type Args, type Result, type SyscallName, syscallNames } from '../../shared/syscalls/table.ts';

const clock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A room reduced to what a driver or a command line meets of it: a socket that speaks the protocol. */
export class DriverRoom {
  /** Throws to refuse a connection. */
  admit: (args: Args<'sys.connect'>) => void = () => {};
  /** Answers what a command line calls after `sys.connect`. */
  answer: (call: IncomingCall) => Promise<Reply> = (call) => Promise.reject(new SyscallError(404, call.call));
  readonly introductions: Args<'sys.connect'>[] = [];
  readonly #peers = new Set<Peer>();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<DriverRoom> {
    const room = new DriverRoom();
    await room.listen();
    return room;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts to listen, again on the port it had. */
  async listen(): Promise<void> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ server, path: '/ws' });
    sockets.on('connection', (socket) => this.#accept(new SocketLink(socket)));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Goes away with all its connections. */
  async close(): Promise<void> {
    for (const peer of this.#peers) peer.close(1012, 'the server restarts');
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server) await once(this.#server, 'close');
  }

  /** Calls the one connected driver; its result is checked against the table. */
  async call<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options?: CallOptions,
  ): Promise<Result<Name>> {
    return (await this.open(name, args, options)).result;
  }

  async open<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options?: CallOptions,
  ): Promise<{ result: Result<Name>; stream: Reply['stream'] }> {
    const { data, stream } = await this.driver.call(name, args, options);
    return { result: checkResult(name, data) as Result<Name>, stream };
  }

  get driver(): Peer {
    const [peer] = [...this.#peers].slice(-1);
    if (!peer) throw new Error('No driver is connected');
    return peer;
  }

  #accept(link: SocketLink): void {
    let introduced = false;
    const peer: Peer = new Peer(link, 'accepting', clock, {
      call: async (call) => {
        const name = checkName(call.call);
        if (introduced) return this.answer(call);
        if (name !== 'sys.connect') throw new SyscallError(403, 'Must call sys.connect first');
        const args = checkArgs(name, call.args);
        this.introductions.push(args);
        this.admit(args);
        introduced = true;
        this.#peers.add(peer);
        return { data: welcome(args) };
      },
      signal: () => {},
      closed: () => this.#peers.delete(peer),
    });
  }
}

function welcome({ client, driver, auth }: Args<'sys.connect'>): Result<'sys.connect'> {
  const username = auth?.username ?? 'nobody';
  const process = {
    uid: 1000,
    gid: 1000,
    gids: [1000],
    username,
    home: `/home/${username}`,
    cwd: '/',
    workspaceId: null,
  };
  const identity =
    client.role === 'driver'
      ? {
          role: 'driver' as const,
          process,
          capabilities: [],
          device: client.id,
          implements: driver?.implements ?? [],
        }
      : { role: 'user' as const, process, capabilities: ['*'] };
  return {
    protocol: PROTOCOL_VERSION,
    server: { version: '0', connectionId: 'test' },
    identity,
    syscalls: [...syscallNames],
    signals: [],
  };
}
