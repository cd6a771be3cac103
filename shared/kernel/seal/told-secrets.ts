import type { SystemTables } from '../../state/system.ts';
import type { Documents } from '../documents.ts';
import type { Vault } from '../ports/vault.ts';
import type { Keys } from './keys.ts';

export type ToldSecretsParts = {
  tables: Pick<SystemTables, 'secrets'>;
  vault: Vault;
  documents: Pick<Documents, 'stored'>;
  keys: Pick<Keys, 'keyring'>;
};

/**
 * A vault whose secrets are every browser's in a sealed GSV: there they also stand in `system`, which its server cannot
 * read, and the newest counts. In any other a secret stays in the browser that it was given to.
 */
export class ToldSecrets implements Vault {
  readonly #parts: ToldSecretsParts;

  constructor(parts: ToldSecretsParts) {
    this.#parts = parts;
  }

  async get(name: string): Promise<string | undefined> {
    const { tables, vault } = this.#parts;
    const told = tables.secrets.get(name);
    return told ? (told.value ?? undefined) : vault.get(name);
  }

  async put(name: string, secret: string): Promise<void> {
    const { vault, documents } = this.#parts;
    await vault.put(name, secret);
    await documents.stored(() => this.#tell(name, secret));
  }

  async delete(name: string): Promise<void> {
    const { vault, documents } = this.#parts;
    await vault.delete(name);
    await documents.stored(() => this.#tell(name, null), 'reserve');
  }

  /** Tells those of these that this browser has and that nobody has told. */
  async tell(names: readonly string[]): Promise<void> {
    const { tables, vault } = this.#parts;
    for (const name of names) {
      const secret = await vault.get(name);
      if (secret !== undefined && !tables.secrets.get(name)) this.#tell(name, secret);
    }
  }

  #tell(name: string, value: string | null): void {
    const { tables, keys } = this.#parts;
    if (keys.keyring) tables.secrets.put(name, { value });
  }
}
