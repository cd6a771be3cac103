import { GSV_VERSION } from '../../protocol/version.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Result } from '../../syscalls/table.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import type { ReplicaLock } from '../auth/replica-lock.ts';
import type { Handlers } from '../handler.ts';
import type { Replica } from '../sync/replica.ts';
import type { RoomLink } from '../sync/room-link.ts';
import { inSetupMode } from './setup.ts';

export type StatusParts = {
  tables: SystemTables;
  room: RoomLink;
  /** Why the room does not take changes although it is there, for a person; null when it does. */
  problem(): string | null;
  /** Changes that the room has not confirmed as stored; blobs to upload count as one each. */
  waiting(): number;
  replica: Pick<Replica, 'id'>;
  lock: Pick<ReplicaLock, 'locked' | 'since'>;
};

/** `sys.status`, and who wants to know when it changes. */
export class Status {
  readonly #parts: StatusParts;
  readonly #listeners = new Set<() => void>();

  constructor(parts: StatusParts) {
    this.#parts = parts;
    parts.tables.users.observe(() => this.changed());
  }

  read(): Result<'sys.status'> {
    const { tables, room, replica, lock } = this.#parts;
    const { state } = room;
    return {
      version: GSV_VERSION,
      setupMode: inSetupMode(tables),
      username: tables.users.rows().find(({ uid }) => uid !== ROOT_UID)?.username ?? null,
      link: state.kind,
      linkReason: 'reason' in state ? state.reason : this.#parts.problem(),
      linkSince: lock.since ?? ('since' in state ? state.since : null),
      waiting: this.#parts.waiting(),
      replicaId: replica.id,
      locked: lock.locked,
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
