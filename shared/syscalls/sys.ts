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
      server: record({ version: Type.String(), connectionId: Name }),
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
    doc: 'Makes a token. Its raw value is returned once and only its hash is kept.',
    args: record({
      uid: optional(Count),
      kind: TokenKind,
      label: optional(Type.String({ maxLength: 200 })),
      allowedRole: optional(Role),
      allowedDeviceId: optional(DeviceId),
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
    doc: 'Joins this browser’s GSV to the server that served the page, with the secret of its claim link.',
    args: record({ secret: Type.String({ minLength: 16, maxLength: 256 }) }),
    result: record({ joined: Type.Boolean() }),
    audience: 'tab',
    effect: 'write',
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
      waiting: Count,
    }),
    audience: 'anyone',
    effect: 'read',
    routable: false,
  }),
};
