import { RELAY_ALLOWED, RELAY_SETTING } from '../../state/relay-setting.ts';
import type { SystemTables } from '../../state/system.ts';
import { FIRST_UID } from '../auth/accounts.ts';
import type { RoomDialer } from '../ports/room-dialer.ts';
import type { Keys } from '../seal/keys.ts';

/**
 * The owner's word that the server may pass calls to model providers on, in a sealed GSV: it reads what passes. It does
 * not stand where the room could write it.
 */
export const RELAY_KEY = `users/${FIRST_UID}/ai/${RELAY_SETTING}`;

export type RelayPermitParts = {
  dialer: RoomDialer;
  keys: Pick<Keys, 'keyring' | 'onChange'>;
  tables: Pick<SystemTables, 'config'>;
};

/** The way to the room, of which the relay for model providers is withheld in a sealed GSV until its owner allows it. */
export class RelayPermit implements RoomDialer {
  readonly #parts: RelayPermitParts;
  #token: string | null = null;

  constructor(parts: RelayPermitParts) {
    this.#parts = parts;
    const { keys, tables } = parts;
    keys.onChange(() => this.#apply());
    tables.config.observe((changed) => {
      if (changed.has(RELAY_KEY)) this.#apply();
    });
  }

  dial(signal: AbortSignal): ReturnType<RoomDialer['dial']> {
    return this.#parts.dialer.dial(signal);
  }

  setToken(token: string | null): void {
    this.#token = token;
    this.#apply();
  }

  #apply(): void {
    const { dialer, keys, tables } = this.#parts;
    const allowed = keys.keyring === null || tables.config.get(RELAY_KEY)?.value === RELAY_ALLOWED;
    dialer.setToken(allowed ? this.#token : null, !allowed);
  }
}
