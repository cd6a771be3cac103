import { messageOf, SyscallError } from '../protocol/errors.ts';
import type { Vault } from './ports/vault.ts';

/** The host's vault; when it cannot store, whoever made the call is told why: 507 and what to do. */
export class TellingVault implements Vault {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  get(name: string): Promise<string | undefined> {
    return this.#vault.get(name);
  }

  async put(name: string, secret: string): Promise<void> {
    await this.#vault.put(name, secret).catch(storageRefused);
  }

  async delete(name: string): Promise<void> {
    await this.#vault.delete(name).catch(storageRefused);
  }
}

function storageRefused(thrown: unknown): never {
  throw new SyscallError(507, messageOf(thrown), { retryable: true });
}
