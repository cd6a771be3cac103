import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { WebSocket } from 'ws';
import * as sync from 'y-protocols/sync';
import type * as Y from 'yjs';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import { type CallOptions, type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import { type SocketLike, SocketLink } from '../../shared/protocol/socket-link.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { systemClock } from '../../sync-server/hosts/ambient.ts';
import { waitFor } from './server.ts';

export type Hello = {
  id: string;
  role: 'user' | 'driver' | 'service';
  username: string;
  token: string;
  implements?: string[];
};

/** A program at the other end of the room's socket. */
export class RoomClient {
  readonly peer: Peer;
  readonly signals: SignalFrame[] = [];
  readonly socket: WebSocket;
  readonly #channels = new Map<number, (bytes: Uint8Array) => void>();
  readonly #closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket, answer: (call: IncomingCall) => Promise<Reply>) {
    this.socket = socket;
    this.#closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
    });
    this.peer = new Peer(linkOf(socket), 'connecting', systemClock, {
      call: answer,
      signal: (frame) => this.signals.push(frame),
      bytes: (channel, bytes) => {
        this.#channels.get(channel)?.(bytes);
        return this.#channels.has(channel);
      },
      closed: () => {},
    });
  }

  /** Opens the socket; rejects when it is refused. */
  static open(
    url: string,
    answer: (call: IncomingCall) => Promise<Reply> = async () => ({}),
    headers: Record<string, string> = {},
  ): Promise<RoomClient> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    // Listening before the socket opens: nothing that the room says at once is lost.
    const client = new RoomClient(socket, answer);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** `sys.connect` with a token. Rejects as the room refuses it. */
  connect(hello: Hello): Promise<Reply> {
    return this.call('sys.connect', connectArgs(hello));
  }

  call(name: string, args: unknown, options: CallOptions = {}): Promise<Reply> {
    return this.peer.call(name, args, options);
  }

  /** Opens a document's channel and syncs `doc` through it. */
  async sync(doc: string, document: Y.Doc): Promise<DocumentSync> {
    const channel = this.peer.streams.allocate();
    const opened = new DocumentSync(this, doc, channel, document);
    this.#channels.set(channel, (bytes) => opened.receive(bytes));
    await this.call('doc.open', { doc, channel });
    opened.start();
    return opened;
  }

  /** Waits for the room to close the socket. */
  closed(): Promise<{ code: number; reason: string }> {
    return this.#closed;
  }

  close(): Promise<unknown> {
    this.peer.close(1000, 'done');
    return this.#closed;
  }

  /** Waits for a signal. */
  async signal(
    name: string,
    matches: (payload: Record<string, unknown>) => boolean = () => true,
  ): Promise<Record<string, unknown>> {
    const find = () =>
      this.signals.find((one) => one.signal === name && matches(one.payload as Record<string, unknown>));
    await waitFor(() => find() !== undefined, `the signal ${name}`);
    return find()?.payload as Record<string, unknown>;
  }
}

/** A replica's end of one document's sync, counting what the room has acknowledged. */
export class DocumentSync {
  readonly channel: number;
  readonly #client: RoomClient;
  readonly #doc: string;
  readonly #document: Y.Doc;
  #sent = 0;
  #synced = false;
  readonly #onUpdate: (update: Uint8Array, origin: unknown) => void;

  constructor(client: RoomClient, doc: string, channel: number, document: Y.Doc) {
    this.#client = client;
    this.#doc = doc;
    this.channel = channel;
    this.#document = document;
    this.#onUpdate = (update, origin) => {
      if (origin === this) return;
      this.#sent += 1;
      this.#send((encoder) => sync.writeUpdate(encoder, update));
    };
  }

  start(): void {
    this.#document.on('update', this.#onUpdate);
    this.#send((encoder) => sync.writeSyncStep1(encoder, this.#document));
  }

  receive(bytes: Uint8Array): void {
    const decoder = decoding.createDecoder(bytes);
    decoding.readVarUint(decoder);
    const answer = encoding.createEncoder();
    encoding.writeVarUint(answer, 0);
    const type = sync.readSyncMessage(decoder, answer, this.#document, this);
    if (type === sync.messageYjsSyncStep2) this.#synced = true;
    if (encoding.length(answer) <= 1) return;
    this.#sent += 1;
    this.#client.peer.sendBytes(this.channel, encoding.toUint8Array(answer));
  }

  /** Waits until the room has stored everything that was sent, and its state is here. */
  async settled(): Promise<void> {
    await waitFor(
      () => this.#synced && this.#sent > 0 && this.outstanding <= 0,
      `${this.#doc} to be acknowledged`,
    );
  }

  get acknowledged(): number {
    const last = this.#client.signals.findLast(({ signal, payload }) => {
      return signal === 'doc.ack' && (payload as { channel: number }).channel === this.channel;
    });
    return (last?.payload as { count: number } | undefined)?.count ?? 0;
  }

  /** How many messages the room has not acknowledged yet. */
  get outstanding(): number {
    return this.#sent - this.acknowledged;
  }

  stop(): void {
    this.#document.off('update', this.#onUpdate);
  }

  #send(write: (encoder: encoding.Encoder) => void): void {
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, 0);
    write(encoder);
    this.#client.peer.sendBytes(this.channel, encoding.toUint8Array(encoder));
  }
}

/** `sys.connect` arguments for a token. */
export function connectArgs({
  id,
  role,
  username,
  token,
  implements: capabilities,
}: Hello): Record<string, unknown> {
  return {
    protocol: PROTOCOL_VERSION,
    client: {
      id,
      version: GSV_VERSION,
      platform: 'test',
      role,
      ...(role === 'service' ? { channel: 'kernel' } : {}),
    },
    ...(capabilities ? { driver: { implements: capabilities } } : {}),
    auth: { username, token },
  };
}

function linkOf(socket: WebSocket): SocketLink {
  return new SocketLink(socket as unknown as SocketLike);
}
