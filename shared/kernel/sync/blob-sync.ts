import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { Clock } from '../../std/clock.ts';
import { Condition } from '../../std/condition.ts';
import type { BlobReferences, ContentStore } from '../fs/contents.ts';
import type { BlobFacts, BlobStore } from '../ports/blob-store.ts';
import { CONTENTS, documentWords } from '../seal/document-words.ts';
import { faultWords, SealFault } from '../seal/fault.ts';
import type { Keyring } from '../seal/keyring.ts';
import type { Keys } from '../seal/keys.ts';
import { Backoff } from './backoff.ts';
import { BlobIndex } from './blob-index.ts';
import { Faults } from './faults.ts';
import type { Outbox } from './outbox.ts';
import { type ResealOptions, resealBlobs } from './reseal-blobs.ts';
import { type MissingBlob, RoomBlobs } from './room-blobs.ts';
import { CLEAR_FORMS, sealedForms } from './room-form.ts';
import type { RoomLink, RoomSession } from './room-link.ts';

/** Blobs that can be fetched again are evicted beyond this many bytes. */
export const BLOB_CAP = 512 * 1024 * 1024;
/** Who reads a blob while the link breaks waits so long for another one. */
const LINK_BACK_MS = 30_000;
/** Releases of one call. */
const RELEASED = 500;
const DAY_MS = 24 * 60 * 60_000;
/** A blob is stored before the row that refers to it; nothing younger than this is garbage. */
const GARBAGE_AFTER_MS = 60 * 60_000;
const CHECKED = 'blobs checked';
const UPLOAD = 'upload';
const OFFLINE = 'This browser is not connected to its server';

export type BlobSyncParts = {
  store: BlobStore;
  outbox: Outbox;
  clock: Clock;
  /** Resolves when what the room knows of files is here; nothing is garbage before. */
  ready(signal: AbortSignal): Promise<void>;
  cap?: number;
  /** With a keyring, the room is not to know what it stores. */
  keys?: Pick<Keys, 'keyring' | 'onChange'>;
};

export type BlobUsage = { blobs: number; blobsOnlyHere: number; blobCap: number };

/**
 * Contents by hash: here, and at the room. Invariants:
 * 1. What the room has not said to have whole is never evicted, and goes up in the background, one blob at a time.
 * 2. What comes from the room is kept and handed out only when it has its hash.
 *    In a sealed GSV the room is never told that hash, nor a byte of the contents.
 * 3. A blob that nothing refers to leaves this disk, and then the room is told.
 */
export class BlobSync implements ContentStore {
  /** Contents that the room handed out otherwise than they were sealed, or withholds, or lost, until all is well again. */
  readonly faults: Faults;
  readonly #parts: BlobSyncParts;
  readonly #index: BlobIndex;
  readonly #fetching = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  readonly #linked = new Condition();
  readonly #failed: Backoff;
  #room: { of: Keyring | null; blobs: RoomBlobs } | null = null;
  #references: BlobReferences | null = null;
  #session: RoomSession | null = null;
  #joined: () => boolean = () => false;
  #onChange: () => void = () => {};
  #working = false;
  #again = false;

  private constructor(parts: BlobSyncParts, index: BlobIndex) {
    this.#parts = parts;
    this.#index = index;
    this.#failed = new Backoff(parts.clock, () => this.#work());
    this.faults = Faults.ofContents(parts.clock);
  }

  /** Rejects when storage cannot be read. */
  static async load(parts: BlobSyncParts): Promise<BlobSync> {
    return new BlobSync(parts, await BlobIndex.load(parts.store, parts.clock));
  }

  /** `references` says which blobs the files refer to; `onChange`: `waiting` or `problem` may be another. */
  follow(room: Pick<RoomLink, 'state' | 'onPeer'>, references: BlobReferences, onChange: () => void): void {
    this.#onChange = onChange;
    this.#references = references;
    this.#joined = () => room.state.kind !== 'alone';
    room.onPeer((session) => this.#connected(session));
    this.#parts.keys?.onChange(() => this.#keysChanged());
  }

  /** Blobs that the room does not have. */
  get waiting(): number {
    return this.#index.onlyHere.length;
  }

  /** Why the room does not take blobs although it is there, or what it did with some, for a person; null when all is well. */
  get problem(): string | null {
    return this.#failed.reason ?? this.faults.list()[0]?.words ?? null;
  }

  get usage(): BlobUsage {
    const blobsOnlyHere = this.#index.onlyHere.reduce((bytes, { size }) => bytes + size, 0);
    return { blobs: this.#index.bytes, blobsOnlyHere, blobCap: this.#parts.cap ?? BLOB_CAP };
  }

  stop(): void {
    this.#failed.clear();
    this.#index.stop();
  }

  /** Resolves with the hash when the bytes are on disk. Rejects when they cannot be. */
  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const { outbox } = this.#parts;
    // Also of what the room was known to have: it is asked, and keeps it for good from then on.
    const hash = await this.#index.put(bytes, false);
    outbox.forgetReleases([hash]);
    this.#onChange();
    this.#work();
    return hash;
  }

  /** From here, else from the room. Undefined when neither has it; rejects when the room cannot be asked. */
  async get(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const here = await this.#index.get(hash);
    if (here) return here;
    let fetching = this.#fetching.get(hash);
    if (!fetching) {
      fetching = this.#fetch(hash).finally(() => this.#fetching.delete(hash));
      this.#fetching.set(hash, fetching);
    }
    return fetching.catch((thrown) => {
      if (isNotThere(thrown)) return undefined;
      throw thrown;
    });
  }

  /** Nothing refers to it any more. */
  async delete(hash: string): Promise<void> {
    await this.#index.delete(hash);
    if (!this.#joined()) return;
    this.#parts.outbox.released(hash);
    this.#onChange();
    this.#work();
  }

  /** There is a new key, or the first one: the room is asked for everything, under the names that it has now. */
  #keysChanged(): void {
    this.#parts.outbox.unnote(CHECKED);
    this.#work();
  }

  /** As `resealBlobs`, of everything that files refer to. Rejects with SyscallError 503 without a link. */
  async reseal(options: ResealOptions): Promise<void> {
    const peer = this.#session?.peer;
    if (!peer) throw new SyscallError(503, OFFLINE);
    const hashes = [...(this.#references?.referred() ?? [])];
    await resealBlobs({ peer, here: (hash) => this.#index.peek(hash) }, hashes, options);
  }

  /** Everything that is on this disk goes to the room anew, in place of what that has of it. */
  async sendAgain(): Promise<void> {
    const peer = this.#session?.peer;
    if (!peer) throw new SyscallError(503, OFFLINE);
    const hashes = this.#index.facts.map(({ hash }) => hash);
    await this.#index.mark(hashes, false);
    await this.#roomBlobs.removeAll(peer, hashes);
    for (const hash of hashes) this.faults.clear(hash);
    this.#onChange();
    this.#work();
  }

  #connected(session: RoomSession): void {
    this.#session = session;
    this.#linked.changed();
    this.#failed.clear();
    session.ended.addEventListener(
      'abort',
      () => {
        if (this.#session === session) this.#session = null;
        this.#failed.clear();
      },
      { once: true },
    );
    // A room that has just let us in by a secret may have none of the blobs that another one had.
    if (session.claiming) this.#parts.outbox.unnote(CHECKED);
    void this.#parts.ready(session.ended).then(
      () => this.#work(),
      () => {},
    );
  }

  /** Does what is to be done with the room, one thing after another, until there is nothing. */
  #work(): void {
    this.#again = true;
    if (this.#working) return;
    this.#working = true;
    void this.#workAll().finally(() => {
      this.#working = false;
      this.#onChange();
    });
  }

  async #workAll(): Promise<void> {
    while (this.#again && this.#session && !this.#failed.has(UPLOAD)) {
      this.#again = false;
      const session = this.#session;
      const failure = await this.#workOnce(session);
      if (failure === undefined) this.#failed.succeeded(UPLOAD);
      else if (!session.peer.closed) this.#failed.failed(UPLOAD, failure);
    }
  }

  /** Drops whatever the room has, too. Resolves with whether that made room. */
  async makeRoom(): Promise<boolean> {
    const before = this.#index.bytes;
    if (this.#session) await this.#evict(this.#session, 0).catch(() => {});
    return this.#index.bytes < before;
  }

  /** Resolves with why something could not be done; the rest is done all the same. */
  async #workOnce(session: RoomSession): Promise<string | undefined> {
    let failure: string | undefined;
    const steps = [this.#check, this.#upload, this.#release, this.#collect, this.#evict];
    for (const step of steps) {
      await step.call(this, session).catch((thrown) => {
        failure ??= messageOf(thrown);
      });
      if (session.peer.closed) break;
    }
    return failure;
  }

  /** Once a day the room is asked whether it still has what it had; asking also keeps what was released by mistake. */
  async #check(session: RoomSession): Promise<void> {
    const { outbox, clock } = this.#parts;
    const now = clock.now();
    const checked = outbox.noted(CHECKED);
    if (checked !== undefined && checked <= now && now - checked < DAY_MS) return;
    const hashes = [...(this.#references?.referred() ?? [])];
    const missing = (await this.#missing(session, hashes)).map(({ hash }) => hash);
    // Asked for the first time, or under new names, a room may lack what another one had, or be on the way to it.
    if (checked !== undefined) await this.#noteLost(session, missing);
    await this.#index.mark(missing, false);
    outbox.note(CHECKED, now);
  }

  /** Of these, what the room had. It is asked again: somebody may have been sealing it anew in between. */
  async #noteLost(session: RoomSession, hashes: readonly string[]): Promise<void> {
    const had = hashes.filter((hash) => this.#index.atRoom(hash));
    for (const { hash } of await this.#missing(session, had)) this.faults.note(hash, 'lost');
  }

  async #upload(session: RoomSession): Promise<void> {
    const hashes = this.#index.onlyHere.map(({ hash }) => hash);
    const missing = await this.#missing(session, hashes);
    const lacking = new Set(missing.map(({ hash }) => hash));
    await this.#index.mark(
      hashes.filter((hash) => !lacking.has(hash)),
      true,
    );
    this.#onChange();
    let failure: unknown;
    for (const lacking of missing) {
      if (session.peer.closed) break;
      await this.#send(session, lacking).catch((thrown) => {
        failure ??= thrown;
      });
      this.#onChange();
    }
    if (failure !== undefined) throw failure;
  }

  async #send({ peer }: RoomSession, missing: MissingBlob): Promise<void> {
    const bytes = await this.#index.peek(missing.hash);
    // Deleted meanwhile, or a damaged disk: either way there is nothing to send.
    if (!bytes) return this.#index.delete(missing.hash);
    await this.#roomBlobs.send(peer, missing, bytes);
    await this.#index.mark([missing.hash], true);
    this.faults.clear(missing.hash);
  }

  /** Of these, what the room does not have whole. */
  #missing({ peer }: RoomSession, hashes: readonly string[]): Promise<MissingBlob[]> {
    return this.#roomBlobs.missing(peer, hashes);
  }

  get #roomBlobs(): RoomBlobs {
    const keyring = this.#parts.keys?.keyring ?? null;
    if (this.#room?.of !== keyring || !this.#room)
      this.#room = { of: keyring, blobs: new RoomBlobs(keyring ? sealedForms(keyring) : CLEAR_FORMS) };
    return this.#room.blobs;
  }

  async #release(session: RoomSession): Promise<void> {
    const { outbox } = this.#parts;
    for (;;) {
      const queued = outbox.releases().slice(0, RELEASED);
      if (queued.length === 0) return;
      const hashes = queued.filter((hash) => (this.#references?.references(hash) ?? 0) === 0);
      await this.#roomBlobs.release(session.peer, hashes);
      outbox.forgetReleases(queued);
    }
  }

  /** What other replicas have made garbage. */
  async #collect(): Promise<void> {
    const references = this.#references;
    const before = this.#parts.clock.now() - GARBAGE_AFTER_MS;
    const garbage = this.#index.facts.filter(
      ({ hash, usedAt }) => usedAt < before && references?.references(hash) === 0,
    );
    await references?.collect(garbage.map(({ hash }) => hash));
  }

  /** Makes room for what is read, by what was not read for longest. The room is asked first, whatever it said once. */
  async #evict(session: RoomSession, cap = this.#parts.cap ?? BLOB_CAP): Promise<void> {
    let over = this.#index.bytes - cap;
    if (over <= 0) return;
    const evicted: BlobFacts[] = [];
    for (const facts of this.#index.evictable) {
      if (over <= 0) break;
      evicted.push(facts);
      over -= facts.size;
    }
    const hashes = evicted.map(({ hash }) => hash);
    const lacking = new Set((await this.#missing(session, hashes)).map(({ hash }) => hash));
    await this.#index.mark([...lacking], false);
    // Whatever was stored again meanwhile is only here once more.
    for (const hash of hashes) if (!lacking.has(hash)) await this.#index.evict(hash);
    if (lacking.size > 0) this.#again = true;
  }

  async #fetch(hash: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#handedOut(hash).catch((thrown) => {
      throw this.#told(hash, thrown);
    });
    this.faults.clear(hash);
    // A full disk does not keep anybody from reading.
    await this.#index.put(bytes, true).catch(() => {});
    if (this.#index.bytes > (this.#parts.cap ?? BLOB_CAP)) this.#work();
    return bytes;
  }

  /** What a reader is told; what the room did with the contents is remembered. */
  #told(hash: string, thrown: unknown): unknown {
    if (!(thrown instanceof SealFault)) return thrown;
    this.faults.note(hash, thrown.kind);
    this.#onChange();
    return new SyscallError(502, faultWords(thrown.kind, documentWords(CONTENTS)));
  }

  /** What the room says that it has is asked for once more: it may have come in between. Rejects with SealFault, too. */
  async #handedOut(hash: string): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await this.#download(hash);
    } catch (thrown) {
      if (!isNotThere(thrown) || !(await this.#saidToBeThere(hash))) throw thrown;
    }
    return this.#download(hash).catch((thrown) => {
      throw isNotThere(thrown) ? new SealFault('withheld', 'These contents are there, and not') : thrown;
    });
  }

  async #saidToBeThere(hash: string): Promise<boolean> {
    const session = this.#session;
    return session !== null && (await this.#missing(session, [hash])).length === 0;
  }

  /** Goes on where a link broke, when there is another one in time. */
  async #download(hash: string): Promise<Uint8Array<ArrayBuffer>> {
    const download = await this.#roomBlobs.download(hash);
    for (let session = this.#session; session; session = await this.#nextSession()) {
      try {
        return await download.over(session.peer);
      } catch (thrown) {
        if (!session.peer.closed) throw thrown;
      }
    }
    throw new SyscallError(503, OFFLINE);
  }

  /** Null when the link does not come back in time. */
  async #nextSession(): Promise<RoomSession | null> {
    const late = new AbortController();
    const cancel = this.#parts.clock.after(LINK_BACK_MS, () => late.abort());
    const back = (): boolean => this.#session !== null && !this.#session.peer.closed;
    await this.#linked.until(back, late.signal).catch(() => {});
    cancel();
    return this.#session;
  }
}

function isNotThere(thrown: unknown): boolean {
  return thrown instanceof SyscallError && thrown.code === 404;
}
