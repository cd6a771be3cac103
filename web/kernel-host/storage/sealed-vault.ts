import type { Vault } from '../../../shared/kernel/ports/vault.ts';
import { type Database, type SecretRow, storageProblem } from './database.ts';
import type { DiskKey } from './disk-key.ts';

const KEY_NAME = 'vault';

/**
 * Secrets sealed by AES-GCM with the key of this disk, or, where none is given, with a key of this browser that cannot
 * be exported; the name is bound to the value.
 */
export class SealedVault implements Vault {
  readonly #database: Database;
  readonly #disk: DiskKey | null;
  #key: Promise<CryptoKey> | null = null;

  constructor(database: Database, disk: DiskKey | null = null) {
    this.#database = database;
    this.#disk = disk;
  }

  async get(name: string): Promise<string | undefined> {
    const row = await this.#database.secrets.get(name);
    if (!row) return undefined;
    return new TextDecoder().decode(await this.#open(row));
  }

  async put(name: string, secret: string): Promise<void> {
    const row = await this.#seal(name, new TextEncoder().encode(secret));
    try {
      await this.#database.secrets.put(row);
    } catch (thrown) {
      throw storageProblem(thrown);
    }
  }

  async delete(name: string): Promise<void> {
    try {
      await this.#database.secrets.delete(name);
    } catch (thrown) {
      throw storageProblem(thrown);
    }
  }

  async #open(row: SecretRow): Promise<BufferSource> {
    if (row.by === undefined)
      return crypto.subtle.decrypt(algorithm(row.name, row.iv), await this.#vaultKey(), row.sealed);
    if (!this.#disk) throw new Error('This secret is behind the key of the disk');
    return this.#disk.open(row.bytes, `secret ${row.name}`);
  }

  async #seal(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<SecretRow> {
    if (this.#disk) return { name, by: 'disk', bytes: await this.#disk.seal(bytes, `secret ${name}`) };
    const iv = crypto.getRandomValues(new Uint8Array(12));
    return {
      name,
      iv,
      sealed: await crypto.subtle.encrypt(algorithm(name, iv), await this.#vaultKey(), bytes),
    };
  }

  #vaultKey(): Promise<CryptoKey> {
    this.#key ??= this.#loadKey();
    return this.#key;
  }

  async #loadKey(): Promise<CryptoKey> {
    const stored = await this.#database.keys.get(KEY_NAME);
    if (stored) return stored.key;
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]);
    try {
      await this.#database.keys.put({ name: KEY_NAME, key });
    } catch (thrown) {
      this.#key = null;
      throw storageProblem(thrown);
    }
    return key;
  }
}

function algorithm(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(name) };
}
