import { SyscallError } from '../../protocol/errors.ts';
import { contactKey, isContact, isContactKey } from '../../state/push-contact.ts';
import type { SystemTables } from '../../state/system.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Documents } from '../documents.ts';
import type { Handlers } from '../handler.ts';
import type { Vault } from '../ports/vault.ts';

export type ConfigEntry = { key: string; value: string };
/** `pid` is given when an agent asks. */
export type ConfigCaller = { uid: number; pid?: string };

/** What stands in the table for a value that only the vault holds. */
export const SEALED = '(sealed)';

/** Names of secrets. `max_tokens` counts what models read and write. */
const SENSITIVE = /password|token(?!s$)|secret|api[_-]?key/i;

export const configDefaults: ConfigEntry[] = [
  { key: 'config/server/name', value: 'gsv' },
  { key: 'config/server/timezone', value: 'UTC' },
  { key: 'config/process/max_per_user', value: '0' },
  { key: 'config/process/max_depth', value: '5' },
  { key: 'config/process/max_children', value: '16' },
  { key: 'config/shell/network_enabled', value: 'true' },
];

/**
 * The rules of `sys.config`, for the syscalls and for `/sys/config` alike. A value under a sensitive name is kept in
 * this host's vault; the replicated table holds only that there is one, and nobody reads it back.
 */
export class Config {
  readonly #tables: SystemTables;
  readonly #vault: Vault;
  readonly #documents: Pick<Documents, 'stored'>;

  constructor(tables: SystemTables, vault: Vault, documents: Pick<Documents, 'stored'>) {
    this.#tables = tables;
    this.#vault = vault;
    this.#documents = documents;
  }

  /** Entries at or below `prefix` that the caller may see, sorted by key. */
  list(caller: ConfigCaller, prefix: string): ConfigEntry[] {
    const below = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    return Array.from(this.#tables.config.entries(), ([key, row]) => ({ key, value: row.value }))
      .filter(({ key }) => (key === prefix || key.startsWith(below)) && this.#mayRead(caller, key))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get(caller: ConfigCaller, key: string): string | undefined {
    return this.#mayRead(caller, key) ? this.#tables.config.get(key)?.value : undefined;
  }

  /** Resolves when it is on disk. Throws 403 when the caller may not write this key. */
  async set(caller: ConfigCaller, key: string, value: string): Promise<void> {
    if (!this.#mayWrite(caller, key)) throw new SyscallError(403, `Permission denied: ${key}`);
    if (isContactKey(key) && value !== '' && !isContact(value))
      throw new SyscallError(400, 'A contact is an address that begins with mailto: or https:');
    await this.put(key, value);
  }

  /** Writes without asking who does. */
  async put(key: string, value: string): Promise<void> {
    const { config } = this.#tables;
    if (!SENSITIVE.test(key)) await this.#documents.stored(() => config.put(key, { value }));
    else if (value === '') await this.#forgetSecret(key);
    else await this.#putSecret(key, value);
  }

  /** The kernel's own look-up: the user's value, else the system's. */
  resolve(uid: number, name: string): string | undefined {
    return (
      this.#tables.config.get(`users/${uid}/${name}`)?.value ||
      this.#tables.config.get(`config/${name}`)?.value
    );
  }

  async resolveSecret(uid: number, name: string): Promise<string | undefined> {
    return (await this.#vault.get(`config:users/${uid}/${name}`)) ?? this.#vault.get(`config:config/${name}`);
  }

  async #putSecret(key: string, value: string): Promise<void> {
    await this.#vault.put(`config:${key}`, value);
    await this.#documents.stored(() => this.#tables.config.put(key, { value: SEALED }));
  }

  async #forgetSecret(key: string): Promise<void> {
    await this.#vault.delete(`config:${key}`);
    await this.#documents.stored(() => this.#tables.config.delete(key), 'reserve');
  }

  #mayRead(caller: ConfigCaller, key: string): boolean {
    if (caller.uid === ROOT_UID || key.startsWith(`users/${caller.uid}/`)) return true;
    return key.startsWith('config/') && !SENSITIVE.test(key);
  }

  /** An agent changes no settings: they hold its limits, its approvals, and where the key is sent. */
  #mayWrite(caller: ConfigCaller, key: string): boolean {
    if (caller.pid !== undefined) return false;
    if (caller.uid === ROOT_UID || key === contactKey(caller.uid)) return true;
    return key.startsWith(`users/${caller.uid}/ai/`);
  }
}

export function configHandlers(config: Config): Handlers<'sys.config.get' | 'sys.config.set'> {
  return {
    'sys.config.get': async ({ key = '' }, { caller }) => ({ entries: config.list(caller.identity, key) }),
    'sys.config.set': async ({ key, value }, { caller }) => {
      await config.set(caller.identity, key, value);
      return { ok: true };
    },
  };
}
