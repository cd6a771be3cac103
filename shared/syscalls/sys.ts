import { Type } from 'typebox';
import { Count, declare, Empty, literals, Name, nullable, optional, record, Time } from './declare.ts';
import { ProcessIdentity } from './proc.ts';

export const DeviceId = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,62}$',
  maxLength: 63,
  description: 'A device id.',
});
export const Username = Type.String({ pattern: '^[a-z_][a-z0-9_-]{0,31}$' });
const Password = Type.String({ minLength: 8, maxLength: 1024 });
const Role = literals(['user', 'driver', 'service']);
const TokenKind = literals(['node', 'service', 'user']);
const Capabilities = Type.Array(Type.String());

export const ConnectionIdentity = Type.Union([
  record({ role: Type.Literal('user'), process: ProcessIdentity, capabilities: Capabilities }),
  record({
    role: Type.Literal('driver'),
    process: ProcessIdentity,
    capabilities: Capabilities,
    device: DeviceId,
    implements: Capabilities,
  }),
  record({
    role: Type.Literal('service'),
    process: ProcessIdentity,
    capabilities: Capabilities,
    channel: Name,
  }),
]);
export type ConnectionIdentity = Type.Static<typeof ConnectionIdentity>;

const Device = {
  deviceId: DeviceId,
  ownerUid: Count,
  description: Type.String(),
  platform: Type.String(),
  version: Type.String(),
  online: Type.Boolean(),
  lastSeenAt: Count,
};
const DeviceDetail = record({
  ...Device,
  implements: Capabilities,
  firstSeenAt: Count,
  connectedAt: nullable(Time),
  disconnectedAt: nullable(Time),
});
const TokenBase = {
  tokenId: Name,
  tokenPrefix: Type.String(),
  uid: Count,
  kind: TokenKind,
  label: nullable(Type.String()),
  allowedRole: nullable(Role),
  allowedDeviceId: nullable(Type.String()),
  createdAt: Time,
  expiresAt: nullable(Time),
};
const NewToken = record({ ...TokenBase, token: Type.String() });

const Replica = record({
  replicaId: Name,
  name: Type.String(),
  platform: Type.String(),
  /** Whether this is the browser that answers. */
  here: Type.Boolean(),
  online: Type.Boolean(),
  /** As the server saw it last; null when it has not. */
  lastSeenAt: nullable(Time),
  joinedAt: Time,
  revokedAt: nullable(Time),
  /** Bytes that it stores, as it last said. */
  storage: nullable(Count),
});
export type Replica = Type.Static<typeof Replica>;

export const sysSyscalls = {
  'sys.connect': declare({
    doc: 'The first call on a connection: authenticates it and gives it an identity.',
    args: record({
      protocol: Count,
      client: record({
        id: Type.String({ minLength: 1, maxLength: 128 }),
        version: Type.String({ maxLength: 64 }),
        platform: Type.String({ maxLength: 128 }),
        role: Role,
        channel: optional(Name),
      }),
      driver: optional(record({ implements: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64 }) })),
      auth: optional(
        record({
          username: Type.String({ minLength: 1, maxLength: 32 }),
          password: optional(Type.String({ maxLength: 1024 })),
          token: optional(Type.String({ maxLength: 256 })),
        }),
      ),
    }),
    result: record({
      protocol: Count,
      server: record({
        version: Type.String(),
        connectionId: Name,
        /** A replica's own number in this GSV, the same each time; the founder's is 0. */
        replicaIndex: optional(Count),
      }),
      identity: ConnectionIdentity,
      syscalls: Type.Array(Type.String()),
      signals: Type.Array(Type.String()),
    }),
    audience: 'anyone',
    effect: 'read',
    routable: false,
  }),
  'sys.setup': declare({
    doc: 'Sets up a new GSV: the first user, the root password, time zone, and optionally a model provider and a device token.',
    args: record({
      username: Username,
      password: Password,
      rootPassword: optional(Password),
      timezone: optional(Type.String({ minLength: 1, maxLength: 64 })),
      /** Whether the server may read nothing of what it keeps. */
      sealed: optional(Type.Boolean()),
      ai: optional(
        record({
          provider: optional(Name),
          model: optional(Name),
          apiKey: optional(Type.String({ maxLength: 4096 })),
          baseUrl: optional(Type.String({ maxLength: 2048 })),
        }),
      ),
      node: optional(
        record({
          deviceId: DeviceId,
          label: optional(Type.String({ maxLength: 200 })),
          expiresAt: optional(Time),
        }),
      ),
    }),
    result: record({ user: ProcessIdentity, rootLocked: Type.Boolean(), nodeToken: optional(NewToken) }),
    audience: 'anyone',
    effect: 'write',
    routable: false,
  }),
  'sys.config.get': declare({
    doc: 'Reads one key, or all visible keys below a prefix. Root sees all; others their own `users/<uid>/` and what is not sensitive under `config/`.',
    args: record({ key: optional(Type.String({ maxLength: 512 })) }),
    result: record({ entries: Type.Array(record({ key: Type.String(), value: Type.String() })) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'sys.config.set': declare({
    doc: 'Writes one key. Root may write any; others only below their own `users/<uid>/ai/`.',
    args: record({
      key: Type.String({ minLength: 1, maxLength: 512, pattern: '^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$' }),
      value: Type.String({ maxLength: 256 * 1024 }),
    }),
    result: record({ ok: Type.Literal(true) }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.device.list': declare({
    doc: 'Lists the devices that the caller can use; those online unless `includeOffline`.',
    args: record({ includeOffline: optional(Type.Boolean()) }),
    result: record({ devices: Type.Array(record(Device)) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'sys.workspace.list': declare({
    doc: 'Lists the caller’s workspaces, those used last first; root may ask for those of `uid`.',
    args: record({
      uid: optional(Count),
      kind: optional(literals(['thread', 'app', 'shared'])),
      state: optional(literals(['active', 'archived'])),
      limit: optional(Type.Integer({ minimum: 1, maximum: 500 })),
    }),
    result: record({
      workspaces: Type.Array(
        record({
          workspaceId: Name,
          ownerUid: Count,
          label: nullable(Type.String()),
          kind: literals(['thread', 'app', 'shared']),
          state: literals(['active', 'archived']),
          createdAt: Time,
          updatedAt: Time,
          defaultBranch: Type.String(),
          headCommit: nullable(Type.String()),
          activeProcess: nullable(
            record({
              pid: Name,
              label: nullable(Type.String()),
              cwd: Type.String(),
              createdAt: Time,
            }),
          ),
          processCount: Count,
        }),
      ),
    }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'sys.device.get': declare({
    doc: 'Describes one device; null when it is missing or not the caller’s to see.',
    args: record({ deviceId: DeviceId }),
    result: record({ device: nullable(DeviceDetail) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'sys.device.update': declare({
    doc: 'Changes the description that processes see. Only the owner and root may.',
    args: record({ deviceId: DeviceId, description: Type.String({ maxLength: 2000 }) }),
    result: record({ device: nullable(DeviceDetail) }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.token.create': declare({
    doc: 'Makes a token. Its raw value is returned once and only its hash is kept. In a sealed GSV it brings the secret of the device that `commands` names, which its holder commands with no browser open.',
    args: record({
      uid: optional(Count),
      kind: TokenKind,
      label: optional(Type.String({ maxLength: 200 })),
      allowedRole: optional(Role),
      allowedDeviceId: optional(DeviceId),
      commands: optional(DeviceId),
      expiresAt: optional(Time),
    }),
    result: record({ token: NewToken }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.token.list': declare({
    doc: 'Lists tokens, revoked ones included, never their values.',
    args: record({ uid: optional(Count) }),
    result: record({
      tokens: Type.Array(
        record({
          ...TokenBase,
          lastUsedAt: nullable(Time),
          revokedAt: nullable(Time),
          revokedReason: nullable(Type.String()),
        }),
      ),
    }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.token.revoke': declare({
    doc: 'Revokes a token; connections made with it close.',
    args: record({ tokenId: Name, reason: optional(Type.String({ maxLength: 500 })), uid: optional(Count) }),
    result: record({ revoked: Type.Boolean() }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.join': declare({
    doc: 'Joins this browser to the server that served the page: with the secret of a claim link, its GSV becomes the server’s; with that of an invitation, an empty browser becomes a replica of the server’s GSV and gets a token for the page to sign in with.',
    args: record({ secret: Type.String({ minLength: 16, maxLength: 256 }) }),
    result: record({
      joined: Type.Boolean(),
      session: optional(record({ username: Type.String(), token: Type.String(), tokenId: Name })),
    }),
    audience: 'anyone',
    effect: 'write',
    routable: false,
  }),
  'sys.invite.create': declare({
    doc: 'Makes an invitation for one more browser: a secret, used once within ten minutes, which belongs in the fragment of a link. Needs the server.',
    args: Empty,
    result: record({ inviteId: Name, secret: Type.String(), expiresAt: Time }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.replica.list': declare({
    doc: 'Lists the browsers that hold a copy of this GSV, revoked ones included.',
    args: Empty,
    result: record({ replicas: Type.Array(Replica) }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.replica.update': declare({
    doc: 'Names a browser.',
    args: record({ replicaId: Name, name: Type.String({ minLength: 1, maxLength: 100 }) }),
    result: record({ replica: nullable(Replica) }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.replica.revoke': declare({
    doc: 'Shuts a browser out: its connection closes within a second, and it locks itself when it learns of it.',
    args: record({ replicaId: Name }),
    result: record({ revoked: Type.Boolean() }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.storage': declare({
    doc: 'What this browser stores of the GSV, in bytes.',
    args: Empty,
    result: record({
      documents: Count,
      blobs: Count,
      /** Of the blobs, what the server does not have yet; never evicted. */
      blobsOnlyHere: Count,
      /** Blobs that can be fetched again are evicted beyond this. */
      blobCap: Count,
    }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.erase': declare({
    doc: 'Removes this GSV from this browser, which then is as new; what the server and other browsers hold stays. Refused while changes or contents exist only here, unless `force`.',
    args: record({ force: Type.Boolean() }),
    result: record({ erased: Type.Boolean(), onlyHere: Count }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.export': declare({
    doc: 'Writes everything to one zip file: a manifest, rows as JSON lines, contents by their hash. Secrets stay out.',
    args: Empty,
    result: record({ name: Type.String() }),
    audience: 'person',
    effect: 'read',
    routable: false,
    bytes: 'out',
  }),
  'sys.import': declare({
    doc: 'Fills an empty GSV from an exported file; 409 when it is not empty, 400 when the file is damaged or none of ours, and then nothing is changed.',
    args: record({
      /** Bytes of the file. */
      size: Count,
      /** For the account that the file holds: secrets are not in it. */
      password: Password,
      /** Whether the server may read nothing of it, as of `sys.setup`; what it was before does not count. */
      sealed: optional(Type.Boolean()),
    }),
    result: record({
      username: Type.String(),
      files: Count,
      messages: Count,
      /** Contents and conversations that the exporting browser could not get. */
      missing: Count,
      /** Keys of settings whose values are secrets and have to be typed again. */
      secrets: Type.Array(Type.String()),
    }),
    audience: 'anyone',
    effect: 'write',
    routable: false,
    bytes: 'in',
  }),
  'sys.reconnect': declare({
    doc: 'Tries to reach the server now, instead of waiting for the next attempt. `sys.status` tells what came of it.',
    args: Empty,
    result: record({ ok: Type.Literal(true) }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.status': declare({
    doc: 'What this kernel is: whether it is set up, and how it stands with its server.',
    args: Empty,
    result: record({
      version: Type.String(),
      setupMode: Type.Boolean(),
      username: nullable(Type.String()),
      link: literals(['alone', 'connecting', 'online', 'offline', 'refused']),
      linkReason: nullable(Type.String()),
      /** Since when it is offline or locked. */
      linkSince: nullable(Time),
      /** Changes that the room has not confirmed as stored; blobs to upload count as one each. */
      waiting: Count,
      replicaId: Name,
      /** Revoked: only a password opens this browser again. */
      locked: Type.Boolean(),
    }),
    audience: 'anyone',
    effect: 'read',
    routable: false,
  }),
};
