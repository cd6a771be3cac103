import { MessageChannel } from 'node:worker_threads';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { SyscallError } from '../../shared/protocol/errors.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import type { DeviceRow } from '../../shared/state/control.ts';
import { systemClock } from '../../web/kernel-host/platform.ts';
import type { MemoryDisk } from './memory-storage.ts';

type Answer = (call: IncomingCall) => Reply | Promise<Reply>;

/** What it answers a kernel that has nothing to replicate and no rival. */
const OWN_ANSWERS: Record<string, unknown> = {
  'doc.open': { seq: 0 },
  'doc.close': { closed: true },
  'doc.clear': { removed: 0 },
  'doc.remove': { removed: 0 },
  'blob.missing': { missing: [] },
  'blob.release': { released: 0 },
  'lease.acquire': { granted: true, epoch: 1, forMs: 60_000 },
  'lease.release': { released: true },
  'lease.get': { lease: null },
};

export function deviceRow(changes: Partial<DeviceRow> = {}): Omit<DeviceRow, 'description'> {
  return {
    deviceId: 'laptop',
    ownerUid: 1000,
    ownerGid: 100,
    platform: 'linux',
    version: '1',
    implements: ['fs.*', 'shell.exec'],
    online: true,
    firstSeenAt: 1,
    lastSeenAt: 2,
    connectedAt: 2,
    disconnectedAt: null,
    ...changes,
  };
}

/**
 * The room's end of a kernel's link: it lets the kernel in, reports one device, and answers device calls by a script.
 * As a driver does, it executes a key once and answers it from its journal after that.
 */
export class FakeRoom implements RoomDialer {
  /** Keys of device calls in the order they were executed, each once. */
  readonly executed: string[] = [];
  /** Device calls as they arrived, repeated ones too. */
  readonly calls: IncomingCall[] = [];
  device = deviceRow();
  up = true;
  refusal: SyscallError | null = null;
  dials = 0;
  readonly #answer: Answer;
  readonly #journal = new Map<string, Promise<Reply>>();
  #peer: Peer | null = null;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Writes what makes a kernel look for its room. */
  join(disk: MemoryDisk): void {
    disk.secrets.set('room/token', 'gsv_service_test');
  }

  setToken(): void {}

  async dial(): Promise<Link> {
    this.dials += 1;
    if (!this.up) throw new Error('the server does not answer');
    const { port1, port2 } = new MessageChannel();
    const peer = new Peer(new PortLink(port1 as unknown as PortLike), 'accepting', systemClock, {
      call: (call) => this.#onCall(call, peer),
      signal: () => {},
      bytes: () => true,
      closed: () => {},
    });
    this.#peer = peer;
    return new PortLink(port2 as unknown as PortLike);
  }

  /** Cuts the link, as a network does. */
  drop(): void {
    this.#peer?.close(1001, 'the network is gone');
  }

  report(event: 'connected' | 'disconnected' | 'snapshot', changes: Partial<DeviceRow> = {}): void {
    this.device = { ...this.device, ...changes };
    this.#peer?.signal('device.status', { event, device: this.device });
  }

  async #onCall(call: IncomingCall, peer: Peer): Promise<Reply> {
    if (call.call === 'sys.connect') {
      if (this.refusal) throw this.refusal;
      return { data: { server: { replicaIndex: 0 } } };
    }
    if (call.call === 'doc.open') peer.signal('device.status', { event: 'snapshot', device: this.device });
    const answered = OWN_ANSWERS[call.call];
    if (answered !== undefined) return { data: answered };
    this.calls.push(call);
    return call.key === undefined ? this.#answer(call) : this.#once(call.key, call);
  }

  #once(key: string, call: IncomingCall): Promise<Reply> {
    let answer = this.#journal.get(key);
    if (!answer) {
      this.executed.push(key);
      answer = Promise.resolve(this.#answer(call));
      this.#journal.set(key, answer);
    }
    return answer;
  }
}
