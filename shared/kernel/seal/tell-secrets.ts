import { SEAL } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Replication } from '../sync/replication.ts';
import { sharedNames } from '../sync/shared-secrets.ts';
import type { Keys } from './keys.ts';
import type { ToldSecrets } from './told-secrets.ts';

export type TellSecretsParts = {
  tables: Pick<SystemTables, 'seal' | 'users' | 'config'>;
  keys: Keys;
  secrets: ToldSecrets;
  /** This replica's id. */
  self: string;
  replication: Pick<Replication, 'joined'>;
};

/** Has whoever sealed a GSV tell the other browsers the secrets that all need, which no server can read from then on. */
export class TellSecrets {
  readonly #parts: TellSecretsParts;
  #unfollow: () => void = () => {};

  constructor(parts: TellSecretsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unfollow = this.#parts.keys.onChange(() => this.#tell());
    this.#tell();
  }

  stop(): void {
    this.#unfollow();
  }

  #tell(): void {
    const { tables, keys, secrets, self, replication } = this.#parts;
    const isOwn = !replication.joined || tables.seal.get(SEAL)?.moving === self;
    // What could not be read now is told at the next start.
    if (keys.keyring && isOwn) secrets.tell(sharedNames(tables)).catch(() => {});
  }
}
