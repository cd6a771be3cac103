import { SyscallError } from '../../../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../../../shared/protocol/peer.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import type { Args, Result } from '../../../shared/syscalls/table.ts';
import { Blobs } from '../../../sync-server/room/blobs.ts';
import { MemoryRoomStorage } from '../../support/memory-room-storage.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { flipped } from './flipped.ts';

type Kept = { name: string; bytes: Uint8Array<ArrayBuffer> };

/** What a hostile room does with contents. */
export const contentAttacks = [
  'flip contents',
  'swap contents',
  'replay contents',
  'shorten contents',
  'withhold contents',
  'set contents back',
  'drop contents',
] as const;
export type ContentAttack = (typeof contentAttacks)[number];

/** A room's contents, kept as a room does it until its keeper does with them what it likes. */
export class HostileContents {
  readonly #storage = new MemoryRoomStorage();
  readonly #blobs: Blobs;
  readonly #copies: Kept[][] = [];
  /** What it ever said that it has whole. */
  readonly #acknowledged = new Set<string>();
  /** `drop`: says that it has stored contents, and does not; `withhold`: says that it has them, and hands out none. */
  #mode: 'as a room does' | 'drop' | 'withhold' = 'as a room does';
  /** Goes on saying that it has whatever it acknowledged. */
  brazen = false;

  constructor(clock: Clock) {
    this.#blobs = new Blobs(this.#storage, clock, () => true);
  }

  async answer({ call, args, stream, signal }: IncomingCall): Promise<Reply> {
    if (call === 'blob.missing') return { data: await this.#missing(args as Args<'blob.missing'>) };
    if (call === 'blob.release') return { data: await this.#blobs.release(args as Args<'blob.release'>) };
    if (call === 'blob.get') return this.#get(args as Args<'blob.get'>);
    const put = args as Args<'blob.put'>;
    this.#acknowledged.add(put.hash);
    if (this.#mode !== 'drop') return { data: await this.#blobs.put(put, stream, signal) };
    await stream?.cancel();
    return { data: { stored: put.size, whole: true } };
  }

  /** Keeps what there is, to give it out again later. */
  async copy(): Promise<void> {
    this.#copies.push(await this.#all());
  }

  async attack(attack: ContentAttack, random: SeededRandom): Promise<void> {
    const all = await this.#all();
    const [one, other] = random.chance(0.5) ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
    const acts: Record<ContentAttack, () => Promise<void> | void> = {
      'flip contents': () => this.#replace(one, flipped(one?.bytes, random)),
      'swap contents': () => this.#swap(one, other),
      'replay contents': () => this.#replay(all, random),
      'shorten contents': () => this.#replace(one, one?.bytes.slice(0, random.below(one.bytes.length))),
      'withhold contents': () => {
        this.#mode = 'withhold';
      },
      'set contents back': () => this.#restore(random.pick([...this.#copies, []])),
      'drop contents': () => {
        this.#mode = 'drop';
      },
    };
    await acts[attack]();
  }

  async #missing(args: Args<'blob.missing'>): Promise<Result<'blob.missing'>> {
    const { missing } = await this.#blobs.missing(args);
    if (!this.brazen && this.#mode !== 'withhold') return { missing };
    return { missing: missing.filter(({ hash }) => !this.#acknowledged.has(hash)) };
  }

  async #get(args: Args<'blob.get'>): Promise<Reply> {
    if (this.#mode === 'withhold') throw new SyscallError(404, 'The server does not have this blob');
    const { size, stream } = await this.#blobs.get(args);
    return { data: { size }, stream };
  }

  async #swap(one: Kept | undefined, other: Kept | undefined): Promise<void> {
    await this.#replace(one, other?.bytes);
    await this.#replace(other, one?.bytes);
  }

  /** Every content is now an older one, under its own name. */
  async #replay(all: readonly Kept[], random: SeededRandom): Promise<void> {
    const older = this.#copies.flat();
    for (const one of all) if (older.length > 0) await this.#replace(one, random.pick(older).bytes);
  }

  async #all(): Promise<Kept[]> {
    const kept: Kept[] = [];
    for (const name of this.#storage.blobNames()) {
      if ((await this.#storage.blob(name))?.whole)
        kept.push({ name, bytes: (await this.#storage.readBlob(name, 0)).slice() });
    }
    return kept;
  }

  async #replace(kept: Kept | undefined, bytes = new Uint8Array()): Promise<void> {
    if (!kept) return;
    await this.#storage.removeBlob(kept.name);
    await this.#storage.putBlob(kept.name, { stored: bytes.length, whole: true, unusedSince: null }, bytes);
  }

  async #restore(copy: readonly Kept[]): Promise<void> {
    for (const name of this.#storage.blobNames()) await this.#storage.removeBlob(name);
    for (const kept of copy) await this.#replace(kept, kept.bytes);
  }
}
