import type { SystemTables } from '../../state/system.ts';
import type { Documents } from '../documents.ts';
import type { Vault } from '../ports/vault.ts';
import type { Keys } from '../seal/keys.ts';

/** What stands in the table of settings for a value that is a secret. */
export const SEALED = '(sealed)';

export type SettingSecretsParts = {
  tables: Pick<SystemTables, 'config' | 'secrets'>;
  vault: Vault;
  documents: Pick<Documents, 'stored'>;
  keys: Pick<Keys, 'keyring'>;
};

/**
 * The values of settings that are secrets. The vault of this browser has them; in a sealed GSV they also stand in
 * `system`, which its server cannot read, so that every browser has the newest. Methods reject when storage does.
 */
export class SettingSecrets {
  readonly #parts: SettingSecretsParts;

  constructor(parts: SettingSecretsParts) {
    this.#parts = parts;
  }

  /** Undefined where there is none, and where it was given to another browser alone. */
  async get(key: string): Promise<string | undefined> {
    const { tables, vault } = this.#parts;
    const shared = tables.secrets.get(key);
    return shared ? (shared.value ?? undefined) : vault.get(nameOf(key));
  }

  async put(key: string, value: string): Promise<void> {
    const { tables, vault, documents } = this.#parts;
    await vault.put(nameOf(key), value);
    await documents.stored(() => {
      tables.config.put(key, { value: SEALED });
      this.#tell(key, value);
    });
  }

  async forget(key: string): Promise<void> {
    const { tables, vault, documents } = this.#parts;
    await vault.delete(nameOf(key));
    await documents.stored(() => {
      tables.config.delete(key);
      this.#tell(key, null);
    }, 'reserve');
  }

  /** Tells the other browsers those that this one has and that nobody has told. */
  async tellAll(): Promise<void> {
    const { tables, vault } = this.#parts;
    for (const [key, { value }] of [...tables.config.entries()]) {
      const secret = value === SEALED ? await vault.get(nameOf(key)) : undefined;
      if (secret !== undefined && !tables.secrets.get(key)) this.#tell(key, secret);
    }
  }

  #tell(key: string, value: string | null): void {
    const { tables, keys } = this.#parts;
    if (keys.keyring) tables.secrets.put(key, { value });
  }
}

/** As the vault calls it. */
function nameOf(key: string): string {
  return `config:${key}`;
}
