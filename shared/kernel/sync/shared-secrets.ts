import { Type } from 'typebox';
import type { SystemTables } from '../../state/system.ts';
import { matches } from '../../std/matches.ts';
import type { Vault } from '../ports/vault.ts';
import { Keyring } from '../seal/keyring.ts';
import { KEYRING, type Keys } from '../seal/keys.ts';
import { expectLogs } from '../seal/known-logs.ts';
import type { LogPlaces } from '../seal/log-places.ts';
import { SEALED } from '../sys/config.ts';

export type KeepParts = { vault: Vault; keys: Keys; places: LogPlaces };

const Secrets = Type.Record(Type.String(), Type.String());

/** What a newcomer's `knownLogs` are among the secrets. */
export const KNOWN_LOGS = 'seal/logs';

/** As vaults call the password hashes and the secrets of settings. */
export function sharedNames({ users, config }: Pick<SystemTables, 'users' | 'config'>): string[] {
  const passwords = users.rows().map(({ uid }) => `password:${uid}`);
  const settings = Array.from(config.entries()).flatMap(([key, { value }]) =>
    value === SEALED ? [`config:${key}`] : [],
  );
  return [...passwords, ...settings];
}

/** The secrets that every replica of a GSV needs: password hashes, sealed settings and keys, and `more`, as one text. */
export async function readSharedSecrets(
  tables: SystemTables,
  told: Pick<Vault, 'get'>,
  more: Record<string, string> = {},
): Promise<string> {
  const secrets: Record<string, string> = { ...more };
  for (const name of [...sharedNames(tables), KEYRING]) {
    const secret = await told.get(name);
    if (secret !== undefined) secrets[name] = secret;
  }
  return JSON.stringify(secrets);
}

/** Keeps what `readSharedSecrets` wrote on another replica. Throws on any other text, and on names of other secrets. */
export async function keepSharedSecrets({ vault, keys, places }: KeepParts, text: string): Promise<void> {
  const secrets: unknown = JSON.parse(text);
  if (!matches(Secrets, secrets)) throw new Error('The secrets of this invitation cannot be read');
  const { [KEYRING]: keyring, [KNOWN_LOGS]: logs, ...others } = secrets as Record<string, string>;
  for (const [name, secret] of Object.entries(others)) {
    if (/^(password:\d+|config:)/.test(name)) await vault.put(name, secret);
  }
  if (logs !== undefined) expectLogs(places, logs);
  if (keyring !== undefined) await keys.set(Keyring.parse(keyring));
}
