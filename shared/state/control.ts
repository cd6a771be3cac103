import { type Static, Type } from 'typebox';
import type * as Y from 'yjs';
import { literals, nullable, optional } from '../syscalls/declare.ts';
import { PushSubscriptionFields } from '../syscalls/push.ts';
import { Table } from './table.ts';

const Uid = Type.Integer({ minimum: 0 });
const Time = Type.Integer({ minimum: 0 });
const text = Type.String();

export const UserRow = Type.Object({
  uid: Uid,
  username: text,
  gid: Uid,
  gids: Type.Array(Uid),
  home: text,
  createdAt: Time,
});
export const GroupRow = Type.Object({
  gid: Uid,
  name: text,
  members: Type.Array(Uid),
  capabilities: Type.Array(text),
  /** What a built-in group was given by the kernel: that alone is taken back when a kernel gives it no more. */
  given: optional(Type.Array(text)),
});
export const ConfigRow = Type.Object({ value: text });
/** What people call a token, and why it was revoked; of the row beside it, in `system`. */
export const TokenWords = Type.Object({ label: nullable(text), revokedReason: nullable(text) });
export const TokenRow = Type.Object({
  tokenId: text,
  /** Lower-case hexadecimal SHA-256 of the raw token. */
  hash: text,
  tokenPrefix: text,
  uid: Uid,
  kind: literals(['node', 'service', 'user']),
  allowedRole: nullable(literals(['user', 'driver', 'service'])),
  /** A device id, or `replica:<id>` for the token by which a kernel joins its room. */
  allowedDeviceId: nullable(text),
  createdAt: Time,
  lastUsedAt: nullable(Time),
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
  ...TokenWords.properties,
});
export const DeviceRow = Type.Object({
  deviceId: text,
  ownerUid: Uid,
  ownerGid: Uid,
  description: text,
  platform: text,
  version: text,
  implements: Type.Array(text),
  online: Type.Boolean(),
  firstSeenAt: Time,
  lastSeenAt: Time,
  connectedAt: nullable(Time),
  disconnectedAt: nullable(Time),
});
/** Groups that may use a device beside its owner; the key is `deviceId`. */
export const AccessRow = Type.Object({ deviceId: text, gids: Type.Array(Uid) });
/** What people call a browser, and what it runs on; of the row beside it, in `system`. */
export const ReplicaWords = Type.Object({ name: text, platform: text });
/** A browser that holds a copy of this GSV; the key is `replicaId`. Presence is the room's. */
export const ReplicaRow = Type.Object({
  replicaId: text,
  ...ReplicaWords.properties,
  /** The token by which it joins the room; null before it has one. */
  tokenId: nullable(text),
  joinedAt: Time,
  revokedAt: nullable(Time),
  /** Bytes that it stores, as it last said. */
  storage: nullable(Type.Integer({ minimum: 0 })),
});
/**
 * An invitation for one more browser; the key is `inviteId`. The room checks `hash`, the SHA-256 of what the
 * newcomer shows; `sealed` holds the secrets that the vaults share, under a key that only the link has.
 */
export const InviteRow = Type.Object({
  inviteId: text,
  hash: text,
  sealed: text,
  uid: Uid,
  createdAt: Time,
  /** Null: it does not run out. */
  expiresAt: nullable(Time),
  /** By the words of a recovery phrase, as often as they are needed; else by a link, once. */
  kind: optional(Type.Literal('recovery')),
});
/** How the room reaches a browser whose pages are closed; the key is `<replicaId>/<uid>`. */
export const PushRow = Type.Object({ replicaId: text, uid: Uid, createdAt: Time, ...PushSubscriptionFields });
/**
 * That there is news for somebody, without its words; the key is `id`. The room tells the browsers of its person that
 * have subscribed.
 */
export const NoticeRow = Type.Object({
  id: text,
  uid: Uid,
  /** The process that it is about. */
  pid: nullable(text),
  createdAt: Time,
  /** It was read or dealt with. */
  seenAt: nullable(Time),
});
/** What the room seals for that is left at it; the key is `gsv`. Its secret has whoever has the keys of this epoch. */
export const InboxRow = Type.Object({ publicKey: text, epoch: Type.Integer({ minimum: 1 }) });
/** That this GSV is sealed; the key is `SEAL`. */
export const SealRow = Type.Object({
  gsvId: text,
  since: Time,
  /** The replica that puts what the room could read before in its place; absent when nothing of that is left. */
  moving: optional(text),
});

export type UserRow = Static<typeof UserRow>;
export type GroupRow = Static<typeof GroupRow>;
export type ConfigRow = Static<typeof ConfigRow>;
export type TokenRow = Static<typeof TokenRow>;
export type DeviceRow = Static<typeof DeviceRow>;
export type AccessRow = Static<typeof AccessRow>;
export type ReplicaRow = Static<typeof ReplicaRow>;
export type InviteRow = Static<typeof InviteRow>;
export type PushRow = Static<typeof PushRow>;
export type NoticeRow = Static<typeof NoticeRow>;
export type InboxRow = Static<typeof InboxRow>;
export type SealRow = Static<typeof SealRow>;

/** The one key of its table. */
export const SEAL = 'gsv';

export const CONTROL_DOC = 'control';

/**
 * The tables of the `control` document: what the room reads. In a sealed GSV browsers have it of each other alone, by its
 * log, and tell the room in the clear what stands in it.
 */
export type ControlTables = ReturnType<typeof controlTables>;

export function controlTables(doc: Y.Doc) {
  return {
    users: new Table(doc, 'users', UserRow),
    groups: new Table(doc, 'groups', GroupRow),
    config: new Table(doc, 'config', ConfigRow),
    tokens: new Table(doc, 'tokens', TokenRow),
    devices: new Table(doc, 'devices', DeviceRow),
    access: new Table(doc, 'access', AccessRow),
    replicas: new Table(doc, 'replicas', ReplicaRow),
    invites: new Table(doc, 'invites', InviteRow),
    push: new Table(doc, 'push', PushRow),
    notices: new Table(doc, 'notices', NoticeRow),
    inbox: new Table(doc, 'inbox', InboxRow),
    seal: new Table(doc, 'seal', SealRow),
  };
}

/** Of the settings those that the room reads: where providers answer, and what concerns the server itself. */
const CONTROL_SETTING =
  /^(config\/server\/.+|users\/\d+\/push\/contact|(config|users\/\d+)\/ai\/(provider|base_url))$/;

export function isControlSetting(key: string): boolean {
  return CONTROL_SETTING.test(key);
}
