import { Type } from 'typebox';
import { SyscallError } from '../../protocol/errors.ts';
import type { SystemTables } from '../../state/system.ts';
import { fromBase64, toBase64Url } from '../../std/bytes.ts';
import type { Clock } from '../../std/clock.ts';
import { matches } from '../../std/matches.ts';
import type { Result } from '../../syscalls/table.ts';
import type { Processes } from '../proc/processes.ts';
import { inboxKey, inboxPurpose } from '../seal/inbox-key.ts';
import type { Keys } from '../seal/keys.ts';
import type { Notifications } from '../sys/notifications.ts';
import { askRoom } from './ask-room.ts';
import type { RoomLink } from './room-link.ts';

/** Between tries while something here refuses. */
const RETRY_MS = 10_000;
/** After a connection begins: by then the processes are as the room has them. */
const SETTLE_MS = 3_000;
const KEY = 'gsv';

const Content = Type.Object({ text: Type.String(), pid: Type.Optional(Type.String()) });
type Item = Result<'inbox.list'>['items'][number];

export type InboxParts = {
  room: RoomLink;
  keys: Keys;
  tables: Pick<SystemTables, 'inbox'>;
  processes: Pick<Processes, 'deliver'>;
  notifications: Pick<Notifications, 'notifyUser'>;
  clock: Clock;
  /** The process that is meant, of this user; without a pid the lasting one. Throws 404 when there is none. */
  find(uid: number, pid: string | undefined): string;
  /** Does work for the whole GSV, unless another replica does. */
  during(work: () => Promise<void>): Promise<boolean>;
  flush(): Promise<void>;
};

/**
 * Takes what was left at the room while no browser was there: each item is delivered under its id, which the process
 * drops when it has had it before, and forgotten by the room after it is on this disk. So a kill loses none and
 * delivers none twice.
 */
export class Inbox {
  readonly #parts: InboxParts;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = true;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = false;
    const { room, keys, clock } = this.#parts;
    room.onSignal('inbox.changed', () => this.look());
    let online = false;
    const onLink = (): void => {
      if (room.online && !online) clock.after(SETTLE_MS, () => this.look());
      online = room.online;
    };
    room.onChange(onLink);
    onLink();
    // What the disk refuses now is said at the next start.
    const announce = (): void => void this.#announce().catch(() => {});
    keys.onChange(announce);
    announce();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Looks now, or once more when it is looking. */
  look(): void {
    this.#again = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#take().catch(() => {
        this.#parts.clock.after(RETRY_MS, () => {
          if (!this.#stopped) this.look();
        });
      });
    }
  }

  async #take(): Promise<void> {
    if (!this.#parts.room.online) return;
    const { room, during } = this.#parts;
    if ((await askRoom(room, 'inbox.list', {})).data.items.length === 0) return;
    const done = await during(async () => {
      // Another browser may have taken them before this one had its turn.
      const { items, total } = (await askRoom(room, 'inbox.list', {})).data;
      const taken: string[] = [];
      for (const item of items) if (await this.#deliver(item)) taken.push(item.id);
      await this.#parts.flush();
      if (taken.length > 0) await askRoom(room, 'inbox.forget', { ids: taken });
      if (taken.length > 0 && total > items.length) this.#again = true;
    });
    if (!done) throw new SyscallError(503, 'Another browser takes what was left');
  }

  /** Resolves to whether the room may forget it. */
  async #deliver(item: Item): Promise<boolean> {
    const { keys, notifications } = this.#parts;
    if (item.epoch > (keys.keyring?.epoch ?? 0)) return false;
    const content = await this.#open(item).catch(() => null);
    const refused = content
      ? await this.#hand(item, content)
      : 'What was left at the server for you could not be opened: it was changed, or sealed for others.';
    if (refused === null) return true;
    const told = { id: `inbox:${item.id}`, title: 'A message was not delivered', level: 'warning' } as const;
    notifications.notifyUser(item.uid, { ...told, body: refused });
    return true;
  }

  /** Null, or why it will never arrive. Rejects when it may later. */
  async #hand({ id, uid, at }: Item, { text, pid }: { text: string; pid?: string }): Promise<string | null> {
    const { processes, keys, find } = this.#parts;
    try {
      // What comes by way of a server that cannot be trusted is not this person's word for certain.
      const told = keys.keyring
        ? { origin: 'event' as const, text: `${heading(at)}\n\n${text}` }
        : { origin: 'user' as const, text };
      await processes.deliver(find(uid, pid), { messageId: `inbox:${id}`, ...told });
      return null;
    } catch (thrown) {
      if (!(thrown instanceof SyscallError) || ![400, 403, 404].includes(thrown.code)) throw thrown;
      return `${thrown.message}. It said: ${text}`;
    }
  }

  async #open({ id, uid, epoch, content }: Item): Promise<{ text: string; pid?: string }> {
    const { keyring } = this.#parts.keys;
    const bytes = fromBase64(content);
    const opened =
      keyring && epoch > 0
        ? await (await inboxKey(keyring, epoch)).open(bytes, inboxPurpose({ id, uid }))
        : bytes;
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(opened));
    if (!matches(Content, read)) throw new Error('This is nothing that was left');
    return read;
  }

  /** Says what the room seals for. */
  async #announce(): Promise<void> {
    const { keys, tables, flush } = this.#parts;
    const { keyring } = keys;
    if (!keyring || (tables.inbox.get(KEY)?.epoch ?? 0) > keyring.epoch) return;
    const { epoch } = keyring;
    const key = await inboxKey(keyring, epoch);
    tables.inbox.put(KEY, { publicKey: toBase64Url(key.public), epoch });
    await flush();
  }
}

function heading(at: number): string {
  return `This was left at the server at ${new Date(at).toISOString()} in the name of your person. The server could have written it itself: ask before doing anything for it that cannot be undone.`;
}
