import { GSV_VERSION } from '../../protocol/version.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Result } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
import type { RoomLink } from '../sync/room-link.ts';
import { inSetupMode } from './setup.ts';

/** `sys.status`, and who wants to know when it changes. */
export class Status {
  readonly #tables: SystemTables;
  readonly #room: RoomLink;
  readonly #listeners = new Set<() => void>();

  constructor(tables: SystemTables, room: RoomLink) {
    this.#tables = tables;
    this.#room = room;
    tables.users.observe(() => this.changed());
  }

  read(): Result<'sys.status'> {
    const { state, waiting } = this.#room;
    return {
      version: GSV_VERSION,
      setupMode: inSetupMode(this.#tables),
      username: this.#tables.users.rows().find(({ uid }) => uid !== ROOT_UID)?.username ?? null,
      link: state.kind,
      linkReason: 'reason' in state ? state.reason : null,
      waiting,
    };
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  handlers(): Handlers<'sys.status'> {
    return { 'sys.status': async () => this.read() };
  }
}
