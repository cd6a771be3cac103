import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { SignalFrame } from '../../protocol/frames.ts';
import { type CallOptions, Peer, type Reply } from '../../protocol/peer.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../protocol/version.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import type { Random } from '../../std/random.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import type { Dispatched, DispatchOptions } from '../dispatch.ts';
import type { RoomDialer } from '../ports/room-dialer.ts';
import type { Vault } from '../ports/vault.ts';
import type { Replica } from './replica.ts';
import { ROOM_CLAIM, ROOM_TOKEN } from './room-secrets.ts';

/** How this replica stands with its room. */
export type LinkState =
  | { kind: 'alone' }
  | { kind: 'connecting' }
  | { kind: 'online' }
  | { kind: 'offline'; reason: string; since: number }
  /** `revoked`: this replica was shut out. */
  | { kind: 'refused'; reason: string; revoked: boolean };

export type RoomLinkParts = {
  dialer: RoomDialer;
  vault: Vault;
  clock: Clock;
  random: Random;
  replica: Pick<Replica, 'id' | 'setIndex'>;
  platform: string;
  /** Whether somebody looks at GSV: a server that went away is looked for more often then. */
  attended(): boolean;
};

/** One connection with a room that knows who this is. */
export type RoomSession = {
  readonly peer: Peer;
  /** Aborts when the connection is over. */
  readonly ended: AbortSignal;
  /** Whether the room let it in by the secret of a link: it may be one that has nothing of this GSV yet. */
  readonly claiming: boolean;
  /** The room has stored what it is to know this replica by; the secret is not needed any more. */
  joined(): void;
};

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const LAST_ATTENDED_RETRY_MS = 5_000;
/** A refusal is not asked again and again: a token does not become good by itself. */
const REFUSED_RETRY_MS = 60_000;
const CONNECT_MS = 15_000;
/** How often a quiet link is asked whether it still stands, and how long the answer may take. */
const PULSE_MS = 30_000;
const PULSE_ANSWER_MS = 10_000;

const Numbered = Type.Object({ server: Type.Object({ replicaIndex: Type.Integer({ minimum: 0 }) }) });

/** Keeps this replica connected to its room, for ever. What is said on the connection is others' to know. */
export class RoomLink {
  readonly #parts: RoomLinkParts;
  readonly #listeners = new Set<() => void>();
  readonly #onPeer: ((session: RoomSession) => Promise<void> | void)[] = [];
  readonly #onSignal = new Map<string, ((payload: unknown) => void)[]>();
  #onBytes: (channel: number, bytes: Uint8Array) => boolean = () => false;
  #stopped = new AbortController();
  #state: LinkState = { kind: 'alone' };
  #peer: Peer | null = null;
  /** Signals and bytes that came from the room. No time: clocks go back. */
  #heard = 0;
  #wake: () => void = () => {};
  #running = false;
  #claiming = false;

  constructor(parts: RoomLinkParts) {
    this.#parts = parts;
  }

  get state(): LinkState {
    return this.#state;
  }

  get online(): boolean {
    return this.#state.kind === 'online';
  }

  /** Calls back, in the order of asking, when `state` has changed; the returned function ends it. Must not throw. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `listener` gets every connection from now on; the link counts as online when what it returns has resolved. */
  onPeer(listener: (session: RoomSession) => Promise<void> | void): void {
    this.#onPeer.push(listener);
  }

  /** `listener` gets the payload of the room's signals of this name, unchecked. Must not throw. */
  onSignal(signal: string, listener: (payload: unknown) => void): void {
    this.#onSignal.set(signal, [...(this.#onSignal.get(signal) ?? []), listener]);
  }

  /** `listener` gets bytes of channels that are no streams; the connection ends when it throws. */
  onBytes(listener: (channel: number, bytes: Uint8Array) => boolean): void {
    this.#onBytes = listener;
  }

  /** Calls the room. Rejects with SyscallError, 503 when it is not connected. */
  async call(name: string, args: unknown, options: CallOptions = {}): Promise<Reply> {
    const peer = this.#peer;
    if (!peer || !this.online)
      throw new SyscallError(503, 'This browser is not connected to its server', { retryable: true });
    return peer.call(name, args, options);
  }

  /** Says something to the room; nothing when it is not connected. */
  signal(name: string, payload: unknown): void {
    if (this.online) this.#peer?.signal(name, payload);
  }

  /** Begins to connect when this replica has joined a room; otherwise it stays alone. */
  async start(): Promise<void> {
    const joined = (await this.#parts.vault.get(ROOM_TOKEN)) !== undefined;
    if (!joined || this.#running) return;
    this.#set({ kind: 'connecting' });
    void this.#run();
  }

  /** Tries at once instead of waiting out the back-off. */
  retryNow(): void {
    this.#wake();
  }

  stop(): void {
    this.#stopped.abort();
    this.#peer?.close(1000, 'kernel stopped');
  }

  /** Is alone again, as if it had never joined. */
  leave(): void {
    this.stop();
    this.#stopped = new AbortController();
    this.#running = false;
    this.#set({ kind: 'alone' });
  }

  /** Rejects with the reason when the room refuses this replica, or when the signal aborts. */
  refused(signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const check = (): void => {
        if (this.#state.kind === 'refused') reject(new SyscallError(403, this.#state.reason));
      };
      const stopListening = this.onChange(check);
      signal.addEventListener(
        'abort',
        () => {
          stopListening();
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  /** Makes a device call through the room. Rejects with SyscallError. */
  async callDevice(
    deviceId: string,
    call: SyscallName,
    args: Record<string, unknown>,
    { signal, key, lease, stream, timeoutMs, onProgress }: DispatchOptions,
  ): Promise<Dispatched> {
    const peer = this.#peer;
    if (!peer || !this.online)
      throw new SyscallError(503, `No active connection to device: ${deviceId}`, { retryable: true });
    const reply = await peer.call(call, args, {
      signal,
      timeoutMs,
      ...(key === undefined ? {} : { key }),
      ...(lease ? { lease } : {}),
      ...(stream ? { stream } : {}),
      ...(onProgress ? { onProgress } : {}),
    });
    return { data: reply.data, stream: reply.stream };
  }

  async #run(): Promise<void> {
    this.#running = true;
    let wait = FIRST_RETRY_MS;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const lived = await this.#session(signal);
      const last = this.#parts.attended() ? LAST_ATTENDED_RETRY_MS : LAST_RETRY_MS;
      wait = lived ? FIRST_RETRY_MS : Math.min(wait * 2, last);
      const jitter = 0.75 + ((this.#parts.random.bytes(1)[0] ?? 0) / 255) * 0.5;
      await this.#sleep(this.#state.kind === 'refused' ? REFUSED_RETRY_MS : wait * jitter);
    }
    if (signal === this.#stopped.signal) this.#running = false;
  }

  /** One connection from dialling to its end. Resolves to whether it had come to be online. */
  async #session(stopped: AbortSignal): Promise<boolean> {
    const become = (state: LinkState): void => {
      if (!stopped.aborted) this.#set(state);
    };
    let closed: (reason: string) => void = () => {};
    const over = new Promise<string>((resolve) => {
      closed = resolve;
    });
    try {
      await this.#connect(closed);
    } catch (thrown) {
      this.#drop();
      const reason = messageOf(thrown);
      const refused = thrown instanceof SyscallError && [401, 403, 409, 426].includes(thrown.code);
      become(
        refused
          ? { kind: 'refused', reason, revoked: isRevoked(thrown) }
          : { kind: 'offline', reason, since: this.#since() },
      );
      return false;
    }
    const ended = new AbortController();
    void over.then(() => ended.abort());
    await this.#introduce(ended.signal);
    if (!ended.signal.aborted) become({ kind: 'online' });
    void this.#watch(ended.signal);
    const reason = await over;
    this.#drop();
    become({ kind: 'offline', reason, since: this.#parts.clock.now() });
    return true;
  }

  /** Hands the connection to those who use it, and waits until they are ready or it is over. */
  async #introduce(ended: AbortSignal): Promise<void> {
    const peer = this.#peer;
    if (!peer) return;
    const claiming = this.#claiming;
    const joined = (): void => {
      if (claiming && !ended.aborted) void this.#parts.vault.delete(ROOM_CLAIM);
    };
    const session: RoomSession = { peer, ended, claiming, joined };
    const over = new Promise<void>((resolve) =>
      ended.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([over, Promise.all(this.#onPeer.map((listener) => listener(session)))]);
  }

  /** Ends a link whose other end has silently gone (a phone that slept, a network that changed). */
  async #watch(ended: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#parts.clock, PULSE_MS, ended);
      const peer = this.#peer;
      if (ended.aborted || !peer) return;
      // Anything heard will do, a refusal too; only silence ends the link.
      const before = this.#heard;
      const silent = await peer.call('sys.status', {}, { timeoutMs: PULSE_ANSWER_MS }).then(
        () => false,
        (thrown) => thrown instanceof SyscallError && thrown.code === 504,
      );
      if (silent && this.#heard === before) peer.close(4000, 'the server went silent');
    }
  }

  async #connect(closed: (reason: string) => void): Promise<void> {
    const { dialer, clock } = this.#parts;
    const link = await dialer.dial(this.#stopped.signal);
    const peer = new Peer(link, 'connecting', clock, {
      call: () => Promise.reject(new SyscallError(404, 'A kernel answers no calls of its room yet')),
      signal: (frame) => this.#signal(frame),
      bytes: (channel, bytes) => this.#bytes(channel, bytes),
      closed,
    });
    this.#peer = peer;
    await this.#authenticate(peer);
    dialer.setToken((await this.#parts.vault.get(ROOM_TOKEN)) ?? null);
  }

  /** By this replica's own token; by the claim secret while the room does not know that token yet. */
  async #authenticate(peer: Peer): Promise<void> {
    const { vault } = this.#parts;
    const claim = await vault.get(ROOM_CLAIM);
    const token = (await vault.get(ROOM_TOKEN)) ?? '';
    this.#claiming = false;
    if (claim === undefined) return this.#hello(peer, token);
    try {
      await this.#hello(peer, claim);
      this.#claiming = true;
    } catch (thrown) {
      if (!(thrown instanceof SyscallError) || thrown.code !== 401) throw thrown;
      // Used before, perhaps by us in a moment that was cut off: then our own token is known.
      await this.#hello(peer, token).catch(() => {
        throw thrown;
      });
      await vault.delete(ROOM_CLAIM);
    }
  }

  async #hello(peer: Peer, token: string): Promise<void> {
    const { replica, platform } = this.#parts;
    const client = { id: replica.id, version: GSV_VERSION, platform, role: 'service', channel: 'kernel' };
    const args = { protocol: PROTOCOL_VERSION, client, auth: { username: 'root', token } };
    const { data } = await peer.call('sys.connect', args, { timeoutMs: CONNECT_MS });
    if (Value.Check(Numbered, data)) await replica.setIndex(data.server.replicaIndex);
  }

  #signal(frame: SignalFrame): void {
    this.#heard += 1;
    for (const listener of this.#onSignal.get(frame.signal) ?? []) listener(frame.payload);
  }

  #bytes(channel: number, bytes: Uint8Array): boolean {
    this.#heard += 1;
    try {
      return this.#onBytes(channel, bytes);
    } catch {
      this.#peer?.close(1002, 'malformed sync message');
      return false;
    }
  }

  #drop(): void {
    this.#peer?.close(1000, 'dropped');
    this.#peer = null;
  }

  #since(): number {
    return this.#state.kind === 'offline' ? this.#state.since : this.#parts.clock.now();
  }

  #set(state: LinkState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #sleep(ms: number): Promise<void> {
    const early = new AbortController();
    const wake = (): void => early.abort();
    const { signal } = this.#stopped;
    this.#wake = wake;
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    return pause(this.#parts.clock, ms, early.signal).finally(() =>
      signal.removeEventListener('abort', wake),
    );
  }
}

function isRevoked(thrown: SyscallError): boolean {
  return (thrown.details as { token?: unknown } | undefined)?.token === 'revoked';
}
