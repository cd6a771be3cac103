import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type * as Y from 'yjs';
import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { SignalFrame } from '../../protocol/frames.ts';
import { Peer } from '../../protocol/peer.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../protocol/version.ts';
import { SYSTEM_DOC } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import type { Random } from '../../std/random.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import type { Dispatched, DispatchOptions } from '../dispatch.ts';
import type { RoomDialer } from '../ports/room-dialer.ts';
import type { Vault } from '../ports/vault.ts';
import { DocSync } from './doc-sync.ts';

/** How this replica stands with its room. */
export type LinkState =
  | { kind: 'alone' }
  | { kind: 'connecting' }
  | { kind: 'online' }
  | { kind: 'offline'; reason: string; since: number }
  | { kind: 'refused'; reason: string };

export type RoomLinkParts = {
  dialer: RoomDialer;
  vault: Vault;
  clock: Clock;
  random: Random;
  replicaId: string;
  platform: string;
  system: Y.Doc;
  /** A `device.status` signal of the room. Must not throw. */
  onDevice(payload: unknown): void;
  onChange(): void;
};

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** A refusal is not asked again and again: a token does not become good by itself. */
const REFUSED_RETRY_MS = 60_000;
const CONNECT_MS = 15_000;
/** How often a quiet link is asked whether it still stands, and how long the answer may take. */
const PULSE_MS = 30_000;
const PULSE_ANSWER_MS = 10_000;

const Ack = Type.Object({ channel: Type.Integer(), count: Type.Integer({ minimum: 0 }) });

export const ROOM_TOKEN = 'room/token';
export const ROOM_CLAIM = 'room/claim';

/** Keeps this replica connected to its room, for ever, and its `system` document in sync. */
export class RoomLink {
  readonly #parts: RoomLinkParts;
  readonly #stopped = new AbortController();
  #state: LinkState = { kind: 'alone' };
  #peer: Peer | null = null;
  #sync: DocSync | null = null;
  #wake: () => void = () => {};
  #running = false;
  #unsent = 0;

  constructor(parts: RoomLinkParts) {
    this.#parts = parts;
    parts.system.on('update', () => {
      if (this.#sync === null) this.#unsent += 1;
    });
  }

  get state(): LinkState {
    return this.#state;
  }

  get online(): boolean {
    return this.#state.kind === 'online';
  }

  /** Changes that the room has not confirmed as stored. */
  get waiting(): number {
    return this.#sync?.waiting ?? this.#unsent;
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

  /** Makes a device call through the room. Rejects with SyscallError. */
  async callDevice(
    deviceId: string,
    call: SyscallName,
    args: Record<string, unknown>,
    { signal, key, stream, timeoutMs, onProgress }: DispatchOptions,
  ): Promise<Dispatched> {
    const peer = this.#peer;
    if (!peer || !this.online)
      throw new SyscallError(503, `No active connection to device: ${deviceId}`, { retryable: true });
    const reply = await peer.call(call, args, {
      signal,
      timeoutMs,
      ...(key === undefined ? {} : { key }),
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
      const lived = await this.#session();
      wait = lived ? FIRST_RETRY_MS : Math.min(wait * 2, LAST_RETRY_MS);
      const jitter = 0.75 + ((this.#parts.random.bytes(1)[0] ?? 0) / 255) * 0.5;
      await this.#sleep(this.#state.kind === 'refused' ? REFUSED_RETRY_MS : wait * jitter);
    }
    this.#running = false;
  }

  /** One connection from dialling to its end. Resolves to whether it had come to be online. */
  async #session(): Promise<boolean> {
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
      this.#set(refused ? { kind: 'refused', reason } : { kind: 'offline', reason, since: this.#since() });
      return false;
    }
    this.#set({ kind: 'online' });
    const ended = new AbortController();
    void this.#watch(ended.signal);
    const reason = await over;
    ended.abort();
    this.#drop();
    this.#set({ kind: 'offline', reason, since: this.#parts.clock.now() });
    return true;
  }

  /** Ends a link whose other end has silently gone (a phone that slept, a network that changed). */
  async #watch(ended: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#parts.clock, PULSE_MS, ended);
      const peer = this.#peer;
      if (ended.aborted || !peer) return;
      // Any answer will do, a refusal too; only silence ends the link.
      const silent = await peer.call('sys.status', {}, { timeoutMs: PULSE_ANSWER_MS }).then(
        () => false,
        (thrown) => thrown instanceof SyscallError && thrown.code === 504,
      );
      if (silent) peer.close(4000, 'the server went silent');
    }
  }

  async #connect(closed: (reason: string) => void): Promise<void> {
    const { dialer, clock, system } = this.#parts;
    const link = await dialer.dial(this.#stopped.signal);
    const peer = new Peer(link, 'connecting', clock, {
      call: () => Promise.reject(new SyscallError(404, 'A kernel answers no calls of its room yet')),
      signal: (frame) => this.#onSignal(frame),
      bytes: (channel, bytes) => this.#onBytes(channel, bytes),
      closed,
    });
    this.#peer = peer;
    await this.#authenticate(peer);
    const sync = new DocSync(peer, SYSTEM_DOC, system, () => this.#onSync());
    this.#sync = sync;
    await sync.start();
    this.#unsent = 0;
    dialer.setToken((await this.#parts.vault.get(ROOM_TOKEN)) ?? null);
  }

  /** By this replica's own token; by the claim secret while the room does not know that token yet. */
  async #authenticate(peer: Peer): Promise<void> {
    const { vault } = this.#parts;
    const claim = await vault.get(ROOM_CLAIM);
    const token = (await vault.get(ROOM_TOKEN)) ?? '';
    if (claim === undefined) return this.#hello(peer, token);
    try {
      await this.#hello(peer, claim);
    } catch (thrown) {
      if (!(thrown instanceof SyscallError) || thrown.code !== 401) throw thrown;
      // Claimed before, perhaps by us in a moment that was cut off: then our own token is known.
      await this.#hello(peer, token);
      await vault.delete(ROOM_CLAIM);
    }
  }

  async #hello(peer: Peer, token: string): Promise<void> {
    const { replicaId, platform } = this.#parts;
    const client = { id: replicaId, version: GSV_VERSION, platform, role: 'service', channel: 'kernel' };
    const args = { protocol: PROTOCOL_VERSION, client, auth: { username: 'root', token } };
    await peer.call('sys.connect', args, { timeoutMs: CONNECT_MS });
  }

  #onSignal(frame: SignalFrame): void {
    if (frame.signal === 'device.status') this.#parts.onDevice(frame.payload);
    else if (frame.signal === 'doc.ack' && Value.Check(Ack, frame.payload)) {
      this.#sync?.acknowledge(frame.payload.channel, frame.payload.count);
    } else if (frame.signal === 'doc.refused') this.#peer?.close(1000, 'the server could not store a change');
  }

  #onBytes(channel: number, bytes: Uint8Array): boolean {
    try {
      return this.#sync?.receive(channel, bytes) ?? false;
    } catch {
      this.#peer?.close(1002, 'malformed sync message');
      return false;
    }
  }

  #onSync(): void {
    if (this.#sync?.waiting === 0) void this.#parts.vault.delete(ROOM_CLAIM);
    this.#parts.onChange();
  }

  #drop(): void {
    this.#unsent = this.#sync?.waiting ?? this.#unsent;
    this.#sync?.stop();
    this.#sync = null;
    this.#peer?.close(1000, 'dropped');
    this.#peer = null;
  }

  #since(): number {
    return this.#state.kind === 'offline' ? this.#state.since : this.#parts.clock.now();
  }

  #set(state: LinkState): void {
    this.#state = state;
    this.#parts.onChange();
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
