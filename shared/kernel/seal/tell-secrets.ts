import { SEAL } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Replication } from '../sync/replication.ts';
import type { SettingSecrets } from '../sys/setting-secrets.ts';
import type { Keys } from './keys.ts';

export type TellSecretsParts = {
  tables: Pick<SystemTables, 'seal'>;
  keys: Keys;
  secrets: SettingSecrets;
  /** This replica's id. */
  self: string;
  replication: Pick<Replication, 'joined'>;
};

/** Has whoever sealed a GSV tell the other browsers the secrets of its settings, which no server can read from then on. */
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
    if (keys.keyring && isOwn) secrets.tellAll().catch(() => {});
  }
}
