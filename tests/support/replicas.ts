import * as Y from 'yjs';
import { Documents } from '../../shared/kernel/documents.ts';
import type { BlobReferences } from '../../shared/kernel/fs/contents.ts';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { Keyring } from '../../shared/kernel/seal/keyring.ts';
import { KEYRING, Keys } from '../../shared/kernel/seal/keys.ts';
import { BlobSync } from '../../shared/kernel/sync/blob-sync.ts';
import { Replication } from '../../shared/kernel/sync/replication.ts';
import { RoomLink } from '../../shared/kernel/sync/room-link.ts';
import { Sealing } from '../../shared/kernel/sync/sealing.ts';
import type { Frame, RequestFrame } from '../../shared/protocol/frames.ts';
import type { Link } from '../../shared/protocol/link.ts';
import { CONTROL_DOC } from '../../shared/state/control.ts';
import { FS_DOC, SYSTEM_DOC, type SystemDocs } from '../../shared/state/system.ts';
import { RoomDocument } from '../../sync-server/room/document.ts';
import { wire } from './linked-peers.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryDisk } from './memory-storage.ts';
import { Life, mortal, mortalClock, mortalLink } from './mortal.ts';
import { toOlderVersion } from './older-version.ts';
import { realRandom } from './platform.ts';
import { claimedRoom, openRoom, replicaHello } from './room-in-memory.ts';
import { turns } from './turns.ts';

type Opened = Awaited<ReturnType<typeof openRoom>>;

/** A claimed room behind a network that can be cut. */
export class ReachableRoom implements RoomDialer {
  readonly clock: ManualClock;
  #opened: Opened;
  readonly #links = new Set<Link>();
  /** Calls of replicas, as they were sent. */
  readonly calls: RequestFrame[] = [];
  /** What a call's arguments are replaced with on their way to the room; undefined leaves them. */
  argsInstead: (call: string) => unknown = () => undefined;
  /** Whether dialling succeeds. */
  up = true;
  /** Whether what replicas send is lost on the way. */
  deaf = false;
  dials = 0;
  /** Frames that replicas sent, how many of them were binary, and the length of the longest such. */
  frames = 0;
  binary = 0;
  longest = 0;
  /** Cuts the links after so many more binary frames of replicas. */
  cutAfter = Number.POSITIVE_INFINITY;
  #cutReceiving: { bytes: number; up: boolean } | null = null;

  private constructor(opened: Opened) {
    this.#opened = opened;
    this.clock = opened.clock;
  }

  static async open(clock = new ManualClock()): Promise<ReachableRoom> {
    const opened = await openRoom(undefined, clock);
    const { founder } = await claimedRoom(opened);
    founder.peer.close(1000, 'done');
    return new ReachableRoom(opened);
  }

  /** One that nobody has claimed. */
  static async fresh(): Promise<ReachableRoom> {
    return new ReachableRoom(await openRoom());
  }

  get storage() {
    return this.#opened.storage;
  }

  /** What is on the room's disk of a document's rows. */
  async rows(name: string): Promise<Record<string, unknown>> {
    return (await RoomDocument.load(this.storage, name)).doc.getMap('rows').toJSON();
  }

  /** What is on the room's disk of the documents that it reads itself. */
  async documents(): Promise<Pick<SystemDocs, 'control' | 'system'>> {
    const [control, system] = await Promise.all(
      [CONTROL_DOC, SYSTEM_DOC].map((name) => RoomDocument.load(this.storage, name)),
    );
    if (!control || !system) throw new Error('Both are read');
    return { control: control.doc, system: system.doc };
  }

  /** As a kill of the room, whose disk is then one that an older version wrote. */
  async age(): Promise<void> {
    this.cut(false);
    const docs = await this.documents();
    toOlderVersion(docs);
    await this.storage.removeDocuments([CONTROL_DOC, SYSTEM_DOC]);
    await this.storage.append(SYSTEM_DOC, [Y.encodeStateAsUpdate(docs.system)]);
    await this.restart();
  }

  /** Lets time pass in steps, and messages arrive in each. */
  async pass(ms: number): Promise<void> {
    const step = Math.max(1_000, ms / 200);
    for (let left = ms; left > 0; left -= step) {
      await this.clock.advance(Math.min(step, left));
      await turns(5);
    }
  }

  setToken(): void {}

  async dial(): Promise<Link> {
    this.dials += 1;
    if (!this.up) throw new Error('the server does not answer');
    const [near, far] = wire();
    this.#opened.room.accept(far);
    this.#links.add(near);
    return {
      inlineBytes: near.inlineBytes,
      listen: (events) =>
        near.listen({
          closed: events.closed,
          message: (message) => {
            events.message(message);
            this.#received(message);
          },
        }),
      close: (code, reason) => near.close(code, reason),
      send: (message) => {
        this.#note(message);
        if (!this.deaf) near.send(this.#altered(message));
      },
    };
  }

  #altered(message: Frame | Uint8Array): Frame | Uint8Array {
    if (message instanceof Uint8Array || message.type !== 'req') return message;
    const args = this.argsInstead(message.call);
    return args === undefined ? message : { ...message, args };
  }

  #note(message: Frame | Uint8Array): void {
    this.frames += 1;
    if (!(message instanceof Uint8Array)) {
      if (message.type === 'req') this.calls.push(message);
      return;
    }
    this.binary += 1;
    this.longest = Math.max(this.longest, message.length);
    this.cutAfter -= 1;
    if (this.cutAfter <= 0) {
      this.cutAfter = Number.POSITIVE_INFINITY;
      this.cut(true);
    }
  }

  /** Cuts the links when replicas have received so many bytes more; with `up` false they stay cut. */
  cutAfterReceived(bytes: number, up = true): void {
    this.#cutReceiving = { bytes, up };
  }

  #received(message: unknown): void {
    if (!this.#cutReceiving || !(message instanceof Uint8Array)) return;
    this.#cutReceiving.bytes -= message.length;
    if (this.#cutReceiving.bytes > 0) return;
    const { up } = this.#cutReceiving;
    this.#cutReceiving = null;
    this.cut(up);
  }

  /** Cuts every link, as a network does; with `up` false it stays so. */
  cut(up: boolean): void {
    this.up = up;
    for (const link of this.#links) link.close(1001, 'the network is gone');
    this.#links.clear();
  }

  /** As a kill of the room: another one opens on what is on its disk. */
  async restart(): Promise<void> {
    this.cut(false);
    this.#opened = await this.#opened.restart();
    this.up = true;
  }
}

/** What a test says that files refer to. */
export class ScriptedReferences implements BlobReferences {
  readonly hashes = new Set<string>();
  blobs: BlobSync | null = null;

  referred(): Iterable<string> {
    return this.hashes;
  }

  references(hash: string): number {
    return this.hashes.has(hash) ? 1 : 0;
  }

  async collect(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) if (!this.hashes.has(hash)) await this.blobs?.delete(hash);
  }
}

type StartOptions = { cap?: number; room?: ReachableRoom };
type BootOptions = StartOptions & { disk?: MemoryDisk; keyring?: Keyring };

/** What one replica keeps in step with its room, without the rest of a kernel. */
export class TestReplica {
  readonly disk: MemoryDisk;
  readonly references = new ScriptedReferences();
  readonly id: string;
  room: ReachableRoom;
  documents!: Documents;
  keys!: Keys;
  replication!: Replication;
  blobs!: BlobSync;
  link!: RoomLink;
  life = new Life();

  private constructor(room: ReachableRoom, id: string, { disk = new MemoryDisk(), keyring }: BootOptions) {
    this.room = room;
    this.id = id;
    this.disk = disk;
    if (keyring) disk.secrets.set(KEYRING, keyring.text);
  }

  /** `id` is `replica-2` or `replica-3`. With a keyring, the room cannot read its documents. */
  static async boot(room: ReachableRoom, id: string, options: BootOptions = {}): Promise<TestReplica> {
    const replica = new TestReplica(room, id, options);
    replica.disk.secrets.set('room/token', replicaHello(id).token);
    await replica.start(new Life(), options);
    return replica;
  }

  /** Starts from what is on the disk. */
  async start(life = new Life(), { cap, room = this.room }: StartOptions = {}): Promise<void> {
    this.life = life;
    this.room = room;
    const clock = mortalClock(this.room.clock, life);
    this.documents = new Documents(mortal(this.disk.docs(), life));
    this.keys = await Keys.load(mortal(this.disk.vault(), life));
    const parts = { keys: this.keys, replicaId: this.id, random: realRandom, clock };
    this.replication = await Replication.open(
      this.documents,
      clock,
      await Sealing.open(this.documents, parts),
    );
    for (const name of [CONTROL_DOC, SYSTEM_DOC, FS_DOC]) await this.documents.open(name);
    this.blobs = await BlobSync.load({
      keys: this.keys,
      store: mortal(this.disk.blobStore(), life),
      outbox: this.replication.outbox,
      clock,
      ready: (signal) => this.replication.synced(FS_DOC, signal),
      ...(cap === undefined ? {} : { cap }),
    });
    this.references.blobs = this.blobs;
    this.link = new RoomLink({
      dialer: mortal<RoomDialer>(
        {
          dial: async () => mortalLink(await this.room.dial(), life),
          setToken: () => {},
        },
        life,
      ),
      vault: mortal(this.disk.vault(), life),
      clock,
      random: realRandom,
      replica: { id: this.id, setIndex: async () => {} },
      attended: () => false,
      platform: 'test',
    });
    this.replication.follow(this.link, () => {});
    this.blobs.follow(this.link, this.references, () => {});
    await this.link.start();
  }

  /** As a kill: what was only queued is lost. */
  kill(): void {
    this.life.end();
  }

  get waiting(): number {
    return this.replication.waiting + this.blobs.waiting;
  }

  async put(name: string, key: string, value: unknown): Promise<void> {
    const doc = await this.documents.open(name);
    doc.getMap('rows').set(key, value);
    await this.documents.close(name);
  }

  async read(name: string): Promise<Record<string, unknown>> {
    const doc = await this.documents.open(name);
    const rows = doc.getMap('rows').toJSON();
    await this.documents.close(name);
    return rows;
  }
}
