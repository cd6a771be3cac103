import { Value } from 'typebox/value';
import { inboxPurpose } from '../../shared/kernel/seal/inbox-key.ts';
import { sealFor } from '../../shared/kernel/seal/sealed-box.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { type ControlTables, SEAL } from '../../shared/state/control.ts';
import { fromBase64Url, sha256Hex, toBase64 } from '../../shared/std/bytes.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';
import { inboxSyscalls } from '../../shared/syscalls/inbox.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import type { RoomStorage } from './storage.ts';

const PREFIX = 'inbox/';
/** Waiting at once, of one person; with what one item may be, some 50 MB of each. */
export const MOST_ITEMS = 200;
/** Told in one answer. */
const PAGE = 50;

type Item = Result<'inbox.list'>['items'][number];
const ItemSchema = inboxSyscalls['inbox.list'].result.properties.items.items;

export type InboxParts = {
  storage: RoomStorage;
  clock: Clock;
  random: Random;
  tables(): Pick<ControlTables, 'seal' | 'inbox'>;
  /** Tells the browsers that something has come. Resolves to whether there is one. */
  tell(): boolean;
};

/** What was left for people's agents while no browser is there. Of a sealed GSV it is sealed before it is stored. */
export class Inbox {
  readonly #parts: InboxParts;
  /** Items are counted and stored one after the other. Never rejects. */
  #storing: Promise<unknown> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** `key` stands for the cause: the same is left once. Rejects with 507 when too much waits, 503 when it cannot be sealed. */
  async put(uid: number, args: Args<'proc.tell'>, key: string | undefined): Promise<Result<'proc.tell'>> {
    const id = key === undefined ? this.#parts.random.uuid() : await idOf(uid, key);
    const item = await this.#sealed(id, uid, args);
    const stored = this.#storing.then(() => this.#store(item));
    this.#storing = stored.catch(() => {});
    await stored;
    return { id, online: this.#parts.tell() };
  }

  async list(): Promise<Result<'inbox.list'>> {
    const items = (await this.#items()).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    return { items: items.slice(0, PAGE), total: items.length };
  }

  async forget({ ids }: Args<'inbox.forget'>): Promise<Result<'inbox.forget'>> {
    const known = new Set((await this.#items()).map(({ id }) => id));
    const ours = [...new Set(ids)].filter((id) => known.has(id));
    for (const id of ours) await this.#parts.storage.delete(PREFIX + id);
    return { forgotten: ours.length };
  }

  async #sealed(id: string, uid: number, { text, pid }: Args<'proc.tell'>): Promise<Item> {
    const { clock, random, tables } = this.#parts;
    const { seal, inbox } = tables();
    const bytes = encoded(JSON.stringify({ text, ...(pid === undefined ? {} : { pid }) }));
    const common = { id, uid, at: clock.now() };
    const key = inbox.get('gsv');
    if (!seal.get(SEAL)) return { ...common, epoch: 0, content: toBase64(bytes) };
    if (!key)
      throw new SyscallError(
        503,
        'This GSV is sealed, and none of its browsers has said yet how messages are sealed: open GSV in a browser once',
        { retryable: true },
      );
    const box = await sealFor(fromBase64Url(key.publicKey), bytes, inboxPurpose(common), random);
    return { ...common, epoch: key.epoch, content: toBase64(box) };
  }

  async #store(item: Item): Promise<void> {
    const waiting = (await this.#items()).filter(({ uid }) => uid === item.uid);
    if (waiting.some(({ id }) => id === item.id)) return;
    if (waiting.length >= MOST_ITEMS)
      throw new SyscallError(
        507,
        `${MOST_ITEMS} messages wait already. Open GSV in a browser: it takes them, and there is room again.`,
        { retryable: true },
      );
    await this.#parts.storage.put(PREFIX + item.id, item);
  }

  async #items(): Promise<Item[]> {
    const stored = await this.#parts.storage.list(PREFIX);
    return stored.flatMap(([, item]) => (Value.Check(ItemSchema, item) ? [item] : []));
  }
}

function idOf(uid: number, key: string): Promise<string> {
  return sha256Hex(encoded(`${uid}:${key}`));
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
