import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { NoticeRow, PushRow } from '../../../shared/state/control.ts';
import { contactKey, isContact } from '../../../shared/state/push-contact.ts';
import { toBase64Url } from '../../../shared/std/bytes.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import type { Random } from '../../../shared/std/random.ts';
import { APPROVAL_NOTICE, RUN_NOTICE } from '../../../shared/syscalls/notice-kinds.ts';
import type { Control } from '../control.ts';
import type { RoomStorage } from '../storage.ts';
import { sendPush, topicOf } from './send.ts';
import { drawVapid, openVapid, type StoredVapid, type VapidKeys } from './vapid.ts';

const VAPID = 'push/vapid';
/** Of the whole server, for who sets none. */
const CONTACT = 'config/server/push_contact';
/** For owners who give none: push services want some address. */
const NO_CONTACT = 'mailto:owner@gsv.example';
/** Whoever looks at a page reads what is new there, and is not told of it again. */
const GRACE_MS = 3_000;
/** What is older than this came with a replica that was away; it is no news. */
const FRESH_MS = 10 * 60_000;
const RETRY_MS = [5_000, 60_000, 10 * 60_000];
const SALT_BYTES = 16;

const Stored = Type.Object({
  privateKey: Type.Object({}, { additionalProperties: true }),
  publicKey: Type.Object({}, { additionalProperties: true }),
});

/** What a browser is told: what kind of news, where, and how many wait; nothing of what was written. */
export const PushPayload = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['approval', 'finished', 'news']),
  pid: Type.Union([Type.String(), Type.Null()]),
  waiting: Type.Integer({ minimum: 0 }),
});
export type PushPayload = Static<typeof PushPayload>;

export type PushParts = {
  storage: RoomStorage;
  clock: Clock;
  random: Random;
  control(): Control;
  fetch(request: Request): Promise<Response>;
};

/**
 * Tells people of what is new through their browsers' push services, when they look at no page. News is what stands
 * in the notices that kernels write, without its words; subscriptions stand beside them.
 */
export class Push {
  readonly #parts: PushParts;
  readonly #attending = new Set<string>();
  /** Subscriptions that their service no longer knows, by address. */
  readonly #gone = new Set<string>();
  #followed: Control | null = null;
  #stopFollowing: () => void = () => {};
  #known = new Set<string>();
  #keys: Promise<VapidKeys> | null = null;

  constructor(parts: PushParts) {
    this.#parts = parts;
  }

  /** The key that browsers subscribe with, base64url; drawn when it is first asked for. */
  async publicKey(): Promise<string> {
    return toBase64Url((await this.#vapid()).publicKey);
  }

  /** Whether somebody looks at a page of this replica. */
  attend(replicaId: string, visible: boolean): void {
    if (visible) this.#attending.add(replicaId);
    else this.#attending.delete(replicaId);
  }

  /** Follows the notices of the document of now: it may have become another one. */
  follow(): void {
    const control = this.#parts.control();
    if (control === this.#followed) return;
    this.#stopFollowing();
    this.#followed = control;
    const { notices } = control.tables;
    this.#known = new Set(notices.keys());
    this.#stopFollowing = notices.observe((ids) => {
      for (const id of ids) this.#changed(id);
    });
  }

  /** Forgets what it knew: the storage has been emptied. */
  reset(): void {
    this.#keys = null;
    this.#gone.clear();
    this.#attending.clear();
  }

  #changed(id: string): void {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    if (this.#news(id)) this.#parts.clock.after(GRACE_MS, () => void this.#tell(id));
  }

  /** News that is new and that nobody has seen. */
  #news(id: string): NoticeRow | undefined {
    const row = this.#parts.control().tables.notices.get(id);
    if (!row || row.seenAt !== null) return undefined;
    return this.#parts.clock.now() - row.createdAt < FRESH_MS ? row : undefined;
  }

  async #tell(id: string): Promise<void> {
    const row = this.#news(id);
    if (!row || this.#attending.size > 0) return;
    const subscriptions = this.#parts.control().tables.push.rows();
    const { clock, control } = this.#parts;
    const theirs = subscriptions
      .filter(({ uid, endpoint }) => uid === row.uid && !this.#gone.has(endpoint))
      .filter(({ replicaId }) => !control().isShutOut(replicaId, clock.now()));
    await Promise.all(theirs.map((subscription) => this.#send(subscription, row, 0)));
  }

  async #send(to: PushRow, row: NoticeRow, attempt: number): Promise<void> {
    const { clock, random, fetch, control } = this.#parts;
    const { id } = row;
    const kind = kindOf(id);
    const message = {
      text: JSON.stringify(this.#payload(row, kind)),
      topic: await topicOf(id),
      urgent: kind === 'approval',
    };
    const contact = contactOf(control(), to.uid);
    const salt = new Uint8Array(random.bytes(SALT_BYTES));
    const parts = { keys: await this.#vapid(), contact, salt, now: clock.now(), fetch };
    const sent = await sendPush(to, message, parts);
    if (sent === 'gone') this.#gone.add(to.endpoint);
    const wait = RETRY_MS[attempt];
    if (sent !== 'later' || wait === undefined) return;
    // It may have been read by then.
    clock.after(wait, () => {
      const still = this.#news(id);
      if (still && this.#attending.size === 0) void this.#send(to, still, attempt + 1);
    });
  }

  #payload({ id, pid, uid }: NoticeRow, kind: PushPayload['kind']): PushPayload {
    const rows = this.#parts.control().tables.notices.rows();
    const unread = rows.filter((row) => row.uid === uid && row.seenAt === null);
    return { id, kind, pid, waiting: unread.length };
  }

  #vapid(): Promise<VapidKeys> {
    this.#keys ??= this.#load();
    this.#keys.catch(() => {
      this.#keys = null;
    });
    return this.#keys;
  }

  async #load(): Promise<VapidKeys> {
    const { storage } = this.#parts;
    const stored = await storage.get(VAPID);
    if (Value.Check(Stored, stored)) return openVapid(stored as StoredVapid);
    const drawn = await drawVapid();
    await storage.put(VAPID, drawn);
    return openVapid(drawn);
  }
}

/** Of the person, else of the server; what is no address is none. */
function contactOf({ tables }: Control, uid: number): string {
  const given = [contactKey(uid), CONTACT].map((key) => tables.config.get(key)?.value ?? '');
  return given.find(isContact) ?? NO_CONTACT;
}

function kindOf(id: string): PushPayload['kind'] {
  if (id.startsWith(APPROVAL_NOTICE)) return 'approval';
  return id.startsWith(RUN_NOTICE) ? 'finished' : 'news';
}
