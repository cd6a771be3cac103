import type { NoticeRow } from '../../state/control.ts';
import type { NotificationRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { NotificationRecord } from '../../syscalls/notification.ts';
import type { Args, SignalName } from '../../syscalls/table.ts';
import type { Caller, Handlers } from '../handler.ts';
import type { Attention } from './attention.ts';

type NotificationSyscall =
  | 'notification.create'
  | 'notification.list'
  | 'notification.mark_read'
  | 'notification.dismiss';
/** What the kernel tells a user. With an `id` that follows from the cause, telling twice is telling once. */
export type Notice = Args<'notification.create'> & {
  id?: string;
  /** The process that it is about. */
  pid?: string;
};

export type NotificationParts = {
  tables: Pick<SystemTables, 'notifications' | 'notices'>;
  clock: Clock;
  random: Random;
  attention: Pick<Attention, 'any'>;
  /** To the pages of this user. */
  broadcast(uid: number, signal: SignalName, payload: Record<string, unknown>): void;
  flush(): Promise<void>;
};

const DAY_MS = 86_400_000;
const UNREAD_MS = 30 * DAY_MS;
const READ_MS = 7 * DAY_MS;
const DISMISSED_MS = 3 * DAY_MS;
const TTL_MS = { least: 1000, most: 90 * DAY_MS };
const LIST = { usual: 100, most: 500 };
/** Of one user; the oldest go first, so that nobody who talks too much fills what every replica holds. */
const MOST_KEPT = 500;
const TITLE_CHARACTERS = 200;
const BODY_CHARACTERS = 4000;

/** What users are told, until it expires. Rows are replicated; everybody sees their own alone, root too. */
export class Notifications {
  readonly #parts: NotificationParts;
  /** Whether a row that is known was dismissed. */
  readonly #known = new Map<string, boolean>();

  constructor(parts: NotificationParts) {
    this.#parts = parts;
    const { notifications } = parts.tables;
    for (const [id, row] of notifications.entries()) this.#known.set(id, row.dismissedAt !== null);
    notifications.observe((ids) => {
      for (const id of ids) this.#signal(id);
    });
  }

  handlers(): Handlers<NotificationSyscall> {
    return {
      'notification.create': async (args, { caller }) => {
        const row = this.#create(caller.identity.uid, args, sourceOf(caller));
        await this.#parts.flush();
        return { notification: recordOf(row) };
      },
      'notification.list': async (args, { caller }) => ({ notifications: this.#list(args, caller) }),
      'notification.mark_read': ({ notificationId }, { caller }) =>
        this.#change(caller, notificationId, (row, now) => ({
          readAt: row.readAt ?? now,
          expiresAt: now + READ_MS,
        })),
      'notification.dismiss': ({ notificationId }, { caller }) =>
        this.#change(caller, notificationId, (row, now) => ({
          dismissedAt: row.dismissedAt ?? now,
          expiresAt: now + DISMISSED_MS,
        })),
    };
  }

  /** Tells a user something on the kernel's own account. It is on disk with the next flush. */
  notifyUser(uid: number, notice: Notice): void {
    const { id, pid, title, body, ...rest } = notice;
    if (id !== undefined && this.#parts.tables.notifications.get(id)) return;
    const cut = body === undefined ? {} : { body: body.slice(0, BODY_CHARACTERS) };
    const source =
      pid === undefined ? ({ kind: 'user' } as const) : ({ kind: 'process', processId: pid } as const);
    this.#create(uid, { ...rest, ...cut, title: title.slice(0, TITLE_CHARACTERS) }, source, id);
  }

  /** What a notice was about is over: it is dismissed. On disk with the next flush. */
  settle(id: string): void {
    const { tables, clock } = this.#parts;
    const row = tables.notifications.get(id);
    const now = clock.now();
    if (row && row.dismissedAt === null)
      this.#patch(row, { dismissedAt: now, expiresAt: now + DISMISSED_MS });
  }

  /** Ids of what a user has not dismissed, in no particular order; for live views. */
  idsOf(uid: number): string[] {
    return this.#parts.tables.notifications.keys().filter((id) => this.shown(uid, id));
  }

  /** One of them; undefined when there is none of this user's, or no more. */
  shown(uid: number, id: string): NotificationRecord | undefined {
    const row = this.#own(uid, id);
    return row && row.dismissedAt === null ? recordOf(row) : undefined;
  }

  /** Calls back with ids that changed, whoever changed them. The returned function ends it. */
  observe(listener: (ids: string[]) => void): () => void {
    return this.#parts.tables.notifications.observe((ids) => listener([...ids]));
  }

  #create(
    uid: number,
    args: Args<'notification.create'>,
    source: NotificationRecord['source'],
    notificationId = this.#parts.random.uuid(),
  ): NotificationRow {
    const now = this.#parts.clock.now();
    const { title, body, level = 'info', actions = [], ttlMs = UNREAD_MS } = args;
    const row: NotificationRow = {
      uid,
      notificationId,
      title,
      ...(body === undefined ? {} : { body }),
      level,
      createdAt: now,
      readAt: null,
      dismissedAt: null,
      expiresAt: now + clamp(ttlMs, TTL_MS.least, TTL_MS.most),
      actions,
      source,
    };
    this.#put(row);
    this.#prune(uid);
    return row;
  }

  #list(args: Args<'notification.list'>, { identity }: Caller): NotificationRecord[] {
    const { includeRead = true, includeDismissed = false, limit = LIST.usual } = args;
    this.#prune(identity.uid);
    return this.#newestFirst(identity.uid)
      .filter(({ readAt, dismissedAt }) => {
        return (includeRead || readAt === null) && (includeDismissed || dismissedAt === null);
      })
      .slice(0, clamp(limit, 1, LIST.most))
      .map(recordOf);
  }

  async #change(
    { identity }: Caller,
    id: string,
    change: (row: NotificationRow, now: number) => Partial<NotificationRow>,
  ): Promise<{ notification: NotificationRecord | null }> {
    const row = this.#own(identity.uid, id);
    if (!row) return { notification: null };
    const changed = this.#patch(row, change(row, this.#parts.clock.now()));
    await this.#parts.flush();
    return { notification: recordOf(changed) };
  }

  #own(uid: number, id: string): NotificationRow | undefined {
    const row = this.#parts.tables.notifications.get(id);
    return row?.uid === uid && !this.#isExpired(row) ? row : undefined;
  }

  #isExpired({ expiresAt }: NotificationRow): boolean {
    return expiresAt !== null && expiresAt <= this.#parts.clock.now();
  }

  /** Removes what is expired, and the oldest of one user beyond what is kept. */
  #prune(uid: number): void {
    const { notifications } = this.#parts.tables;
    for (const [id, row] of notifications.entries()) if (this.#isExpired(row)) this.#delete(id);
    for (const { notificationId } of this.#newestFirst(uid).slice(MOST_KEPT)) {
      this.#delete(notificationId);
    }
  }

  /** Its words stand apart from what the room is told of it. */
  #put(row: NotificationRow): void {
    const { notifications, notices } = this.#parts.tables;
    notifications.put(row.notificationId, row);
    notices.put(row.notificationId, noticeOf(row));
  }

  #patch(row: NotificationRow, changes: Partial<NotificationRow>): NotificationRow {
    const { notifications, notices } = this.#parts.tables;
    const changed = notifications.patch(row.notificationId, changes) ?? row;
    const notice = noticeOf(changed);
    if (!notices.patch(notice.id, notice)) notices.put(notice.id, notice);
    return changed;
  }

  #delete(id: string): void {
    const { notifications, notices } = this.#parts.tables;
    notifications.delete(id);
    notices.delete(id);
  }

  #newestFirst(uid: number): NotificationRow[] {
    return this.#parts.tables.notifications
      .rows()
      .filter((row) => row.uid === uid)
      .sort((a, b) => b.createdAt - a.createdAt || (a.notificationId < b.notificationId ? -1 : 1));
  }

  /** Says what happened to a row, here or on another replica. What was dealt with before it arrived is not news. */
  #signal(id: string): void {
    const row = this.#parts.tables.notifications.get(id);
    const dismissed = this.#known.get(id);
    if (!row) {
      this.#known.delete(id);
      return;
    }
    this.#known.set(id, row.dismissedAt !== null);
    if (dismissed === undefined && (row.readAt !== null || row.dismissedAt !== null)) return;
    const payload = { notification: recordOf(row), visible: this.#parts.attention.any };
    this.#parts.broadcast(row.uid, signalFor(row, dismissed), payload);
  }
}

function signalFor({ dismissedAt }: NotificationRow, dismissed: boolean | undefined): SignalName {
  if (dismissed === undefined) return 'notification.created';
  return dismissedAt !== null && !dismissed ? 'notification.dismissed' : 'notification.updated';
}

function noticeOf({
  notificationId: id,
  uid,
  source,
  createdAt,
  readAt,
  dismissedAt,
}: NotificationRow): NoticeRow {
  const pid = source.kind === 'process' ? source.processId : null;
  return { id, uid, pid, createdAt, seenAt: readAt ?? dismissedAt };
}

function recordOf({ uid: _, ...record }: NotificationRow): NotificationRecord {
  return record;
}

function sourceOf({ origin }: Caller): NotificationRecord['source'] {
  return origin.kind === 'process' ? { kind: 'process', processId: origin.pid } : { kind: 'user' };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
