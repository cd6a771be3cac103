import { SyscallError } from '../../protocol/errors.ts';
import type { UserRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import { FIRST_UID, identityOf, ROOT_UID, seedAccounts } from '../auth/accounts.ts';
import type { Passwords } from '../auth/passwords.ts';
import { mintToken } from '../auth/tokens.ts';
import type { Founding } from '../backup/founding.ts';
import type { Handlers } from '../handler.ts';
import type { Keys } from '../seal/keys.ts';
import { chooseSealing } from './choose-sealing.ts';
import { type Config, configDefaults } from './config.ts';
import { type PairingParts, pairing } from './device-secrets.ts';
import { newToken } from './tokens.ts';

export type SetupParts = PairingParts & {
  tables: SystemTables;
  passwords: Passwords;
  config: Config;
  founding: Founding;
  keys: Keys;
  flush(): Promise<void>;
  /** Makes a home with its seeded files. Resolves when it is queued to disk. */
  seedHome(user: UserRow): Promise<void>;
};

const RESERVED = ['root', 'gsv', 'daemon', 'nobody'];

/** Whether nobody has set this GSV up yet: there is no user but, at most, root. */
export function inSetupMode(tables: SystemTables): boolean {
  return tables.users.rows().every((user) => user.uid === 0);
}

/** `sys.setup`: works with no network. Throws 409 when it has been done, 400 on a name or time zone that cannot be. */
export function setupHandler(parts: SetupParts): Handlers<'sys.setup'> {
  return {
    'sys.setup': (args) =>
      parts.founding.run(async () => {
        if (!inSetupMode(parts.tables)) throw new SyscallError(409, 'This GSV is already set up');
        return setUp(parts, args);
      }),
  };
}

async function setUp(parts: SetupParts, args: Args<'sys.setup'>): Promise<Result<'sys.setup'>> {
  if (RESERVED.includes(args.username))
    throw new SyscallError(400, `The name ${args.username} is taken by the system`);
  checkTimezone(args.timezone);
  // Hashes are stored first: a user row is what ends setup mode, and it must not exist without a password.
  await parts.passwords.put(FIRST_UID, args.password);
  if (args.rootPassword) await parts.passwords.put(ROOT_UID, args.rootPassword);
  await chooseSealing(parts, args.sealed === true);
  for (const { key, value } of configDefaults) parts.tables.config.put(key, { value });
  if (args.timezone) parts.tables.config.put('config/server/timezone', { value: args.timezone });
  const user = seedAccounts(parts.tables, args.username, parts.clock.now());
  await parts.seedHome(user);
  await storeModel(parts.config, user.uid, args.ai ?? {});
  const nodeToken = args.node ? await storeNodeToken(parts, user.uid, args.node) : undefined;
  await parts.flush();
  return {
    user: identityOf(user),
    rootLocked: args.rootPassword === undefined,
    ...(nodeToken ? { nodeToken } : {}),
  };
}

async function storeModel(
  config: Config,
  uid: number,
  ai: NonNullable<Args<'sys.setup'>['ai']>,
): Promise<void> {
  const values = { provider: ai.provider, model: ai.model, base_url: ai.baseUrl, api_key: ai.apiKey };
  for (const [name, value] of Object.entries(values)) {
    if (value) await config.put(`users/${uid}/ai/${name}`, value);
  }
}

async function storeNodeToken(parts: SetupParts, uid: number, node: NonNullable<Args<'sys.setup'>['node']>) {
  const paired = pairing(parts, node.deviceId);
  const { row, raw } = await mintToken(
    {
      uid,
      kind: 'node',
      label: node.label ?? node.deviceId,
      allowedRole: 'driver',
      allowedDeviceId: node.deviceId,
      expiresAt: node.expiresAt ?? null,
    },
    parts.clock.now(),
    parts.random,
  );
  parts.tables.tokens.put(row.tokenId, row);
  paired.keep();
  return newToken(row, paired.pasted(raw));
}

function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw new SyscallError(400, `Unknown time zone: ${timezone}`, { details: { path: '/timezone' } });
  }
}
