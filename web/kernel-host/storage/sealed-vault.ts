import type { Vault } from '../../../shared/kernel/ports/vault.ts';
import { type Database, storageProblem } from './database.ts';

const KEY_NAME = 'vault';

/** Secrets sealed by AES-GCM with a key of this browser that cannot be exported; the name is bound to the value. */
export class SealedVault implements Vault {
  readonly #database: Database;
  #key: Promise<CryptoKey> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(name: string): Promise<string | undefined> {
    const row = await this.#database.secrets.get(name);
    if (!row) return undefined;
    const bytes = await crypto.subtle.decrypt(algorithm(name, row.iv), await this.#vaultKey(), row.sealed);
    return new TextDecoder().decode(bytes);
  }

  async put(name: string, secret: string): Promise<void> {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const sealed = await crypto.subtle.encrypt(
      algorithm(name, iv),
      await this.#vaultKey(),
      new TextEncoder().encode(secret),
    );
    try {
      await this.#database.secrets.put({ name, iv, sealed });
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
