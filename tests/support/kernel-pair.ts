import { mintToken } from '../../shared/kernel/auth/tokens.ts';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { Frame } from '../../shared/protocol/frames.ts';
import type { Link, LinkEvents } from '../../shared/protocol/link.ts';
import { type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import { CONTROL_DOC } from '../../shared/state/control.ts';
import { FS_DOC, SYSTEM_DOC } from '../../shared/state/system.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { editTables } from './edit-doc.ts';
import { TestKernel, type TestPage } from './kernel.ts';
import { passing, settle } from './passing.ts';
import { realRandom } from './platform.ts';
import { ReachableRoom } from './replicas.ts';
import { connectArgs } from './room-client.ts';
import { CLAIM_SECRET } from './room-in-memory.ts';
import type { Script } from './scripted-models.ts';

/**
 * The host of one kernel: its network, which can be cut, its clock, which may be wrong, and whether it is frozen, as a
 * browser freezes a tab: then no timer runs and nothing arrives until it thaws.
 */
export class TestHost implements RoomDialer {
  /** Milliseconds by which its clock is wrong. */
  skew = 0;
  readonly clock: Clock;
  readonly #room: ReachableRoom;
  #up = true;
  #frozen = false;
  #held: (() => void)[] = [];
  #links = new Set<Link>();

  constructor(room: ReachableRoom) {
    this.#room = room;
    this.clock = {
      // Whole milliseconds, as every clock shows them: the timers of a room in virtual time need not be.
      now: () => Math.floor(room.clock.now()) + this.skew,
      after: (ms, run) => room.clock.after(ms, () => this.#whenThawed(run)),
    };
  }

  setToken(): void {}

  async dial(): Promise<Link> {
    if (!this.#up) throw new Error('the server does not answer');
    const link = await this.#room.dial();
    this.#links.add(link);
    return {
      inlineBytes: link.inlineBytes,
      listen: (events: LinkEvents) =>
        link.listen({
          message: (message) => this.#whenThawed(() => events.message(message)),
          closed: (reason) => this.#whenThawed(() => events.closed(reason)),
        }),
      send: (message: Frame | Uint8Array) => link.send(message),
      close: (code, reason) => link.close(code, reason),
    };
  }

  cut(): void {
    this.#up = false;
    for (const link of this.#links) link.close(1001, 'the network is gone');
    this.#links.clear();
  }

  mend(): void {
    this.#up = true;
  }

  freeze(): void {
    this.#frozen = true;
  }

  /** What was held happens now, in order. */
  thaw(): void {
    this.#frozen = false;
    for (const run of this.#held.splice(0)) run();
  }

  #whenThawed(run: () => void): void {
    if (this.#frozen) this.#held.push(run);
    else run();
  }
}

const MONTH = 30 * 24 * 3_600_000;
/** The replica id of `b`. */
const SECOND = 'replica-b';

/** Two browsers of one GSV, `a` its founder, over the room's real core, in virtual time. */
export class KernelPair {
  readonly room: ReachableRoom;
  readonly hosts: { a: TestHost; b: TestHost };
  readonly a: TestKernel;
  readonly b: TestKernel;
  pages!: { a: TestPage; b: TestPage };
  /** Keys of device calls in the order they were executed, each once. */
  readonly executed: string[] = [];
  /** Device calls as they arrived. */
  readonly calls: IncomingCall[] = [];

  private constructor(room: ReachableRoom, scripts: { a: Script; b: Script }) {
    this.room = room;
    this.hosts = { a: new TestHost(room), b: new TestHost(room) };
    const kernel = (script: Script, host: TestHost) =>
      new TestKernel(script, { clock: host.clock, dialer: host });
    this.a = kernel(scripts.a, this.hosts.a);
    this.b = kernel(scripts.b, this.hosts.b);
  }

  static async start(a: Script, b: Script = a): Promise<KernelPair> {
    const room = await ReachableRoom.fresh();
    // A clock that is a day slow still shows a time.
    room.clock.jump(MONTH);
    const pair = new KernelPair(room, { a, b });
    await pair.passing(pair.a.ready());
    pair.a.kill();
    await pair.#invite();
    await pair.passing(pair.a.boot());
    const first = await pair.passing(pair.a.signedIn());
    await pair.passing(first.call('sys.join', { secret: CLAIM_SECRET }));
    await pair.until(async () => (await first.call('sys.status', {})).link === 'online', 'a is online');
    await pair.passing(pair.b.boot());
    pair.pages = { a: first, b: await pair.passing(pair.b.signedIn()) };
    await pair.until(() => pair.isOnline('b'), 'b is online');
    await pair.settings('{"default":"auto","rules":[]}');
    return pair;
  }

  /** Makes the second disk a replica of the first, as pairing leaves it. */
  async #invite(): Promise<void> {
    const replicaId = SECOND;
    const request = { uid: 0, kind: 'service', label: null, allowedRole: 'service' } as const;
    const bound = { ...request, allowedDeviceId: `replica:${replicaId}`, expiresAt: null };
    const { row, raw } = await mintToken(bound, 1, realRandom);
    editTables(this.a.disk, (tables) => {
      tables.tokens.put(row.tokenId, row);
      const about = { name: 'b', platform: 'test', tokenId: row.tokenId, joinedAt: 1 };
      tables.replicas.put(replicaId, { replicaId, ...about, revokedAt: null, storage: null });
    });
    this.b.disk.copyFrom(this.a.disk);
    const shared = this.b.disk.updates.filter(({ doc }) => [CONTROL_DOC, SYSTEM_DOC, FS_DOC].includes(doc));
    this.b.disk.updates.splice(0, this.b.disk.updates.length, ...shared);
    this.b.disk.secrets.set('replica/id', replicaId);
    this.b.disk.secrets.set('room/token', raw);
  }

  /** What happens while time passes. */
  passing<T>(going: Promise<T>): Promise<T> {
    return passing(this.room.clock, going);
  }

  until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return settle(this.room.clock, done, what);
  }

  /** So much time passes for everybody. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) await this.room.clock.advance(Math.min(1_000, left));
  }

  async isOnline(name: 'a' | 'b'): Promise<boolean> {
    return (await this.pages[name].call('sys.status', {})).link === 'online';
  }

  /** Sets the approval policy on both. */
  async settings(value: string): Promise<void> {
    const key = 'users/1000/ai/tools/approval';
    await this.passing(this.pages.a.call('sys.config.set', { key, value }));
    const known = async (): Promise<boolean> => {
      const { entries } = await this.pages.b.call('sys.config.get', { key });
      return entries[0]?.value === value;
    };
    await this.until(known, 'the policy reaches b');
  }

  /** Connects the device `laptop`, which executes a key once and answers it from its journal after that. */
  async device(answer: (call: IncomingCall) => Reply | Promise<Reply>): Promise<void> {
    const made = this.pages.a.call('sys.token.create', { kind: 'node', allowedDeviceId: 'laptop' });
    const { token } = (await this.passing(made)).token;
    const journal = new Map<string, Promise<Reply>>();
    const once = (call: IncomingCall): Promise<Reply> => {
      this.calls.push(call);
      const key = call.key ?? `none-${this.calls.length}`;
      const known = journal.get(key);
      if (known) return known;
      this.executed.push(key);
      const going = Promise.resolve(answer(call));
      journal.set(key, going);
      return going;
    };
    const peer = new Peer(await this.room.dial(), 'connecting', this.room.clock, {
      call: once,
      signal: () => {},
      closed: () => {},
    });
    const hello = {
      id: 'laptop',
      role: 'driver' as const,
      username: 'ada',
      token,
      implements: ['fs.*', 'shell.exec'],
    };
    await this.until(
      () =>
        peer.call('sys.connect', connectArgs(hello)).then(
          () => true,
          () => false,
        ),
      'the driver is let in',
    );
    for (const page of [this.pages.a, this.pages.b]) {
      const seen = async () => (await page.call('sys.device.list', {})).devices.some(({ online }) => online);
      await this.until(seen, 'the device is seen');
    }
  }
}
