import { Type } from 'typebox';
import type { ReplicaRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { matches } from '../../std/matches.ts';
import { nullable } from '../../syscalls/declare.ts';
import type { Replica as ReplicaRecord } from '../../syscalls/sys.ts';
import type { Handlers } from '../handler.ts';
import type { Space } from '../ports/doc-store.ts';
import { demandOwner } from './owner.ts';
import type { Replica } from './replica.ts';

const Presence = Type.Object({
  replicaId: Type.String(),
  online: Type.Boolean(),
  lastSeenAt: nullable(Type.Integer({ minimum: 0 })),
});
const ReplicaStatus = Type.Object({ event: Type.String(), replica: Presence });

export type ReplicasParts = {
  tables: SystemTables;
  replica: Replica;
  clock: Clock;
  linkOnline(): boolean;
  flush(space?: Space): Promise<void>;
};

type ReplicaSyscall = 'sys.replica.list' | 'sys.replica.update' | 'sys.replica.revoke';

/** The browsers that hold this GSV: rows that they write, and what the room reports of their connections. */
export class Replicas {
  readonly #parts: ReplicasParts;
  readonly #seen = new Map<string, { online: boolean; lastSeenAt: number | null }>();
  readonly #listeners = new Set<(replicaId: string) => void>();

  constructor(parts: ReplicasParts) {
    this.#parts = parts;
  }

  /** A `replica.status` of the room; anything else is dropped. */
  onStatus(payload: unknown): void {
    if (!matches(ReplicaStatus, payload)) return;
    const { replicaId, online, lastSeenAt } = (payload as { replica: ReplicaPresence }).replica;
    this.#seen.set(replicaId, { online, lastSeenAt });
    this.#changed(replicaId);
  }

  /** Without its room a replica knows of no other. */
  onLinkLost(): void {
    for (const [replicaId, { lastSeenAt }] of this.#seen) {
      this.#seen.set(replicaId, { online: false, lastSeenAt });
      this.#changed(replicaId);
    }
  }

  /** Whether others may hold this GSV, connected or not: then runs need a lease. */
  get others(): boolean {
    const { tables, replica } = this.#parts;
    return tables.replicas.rows().some((row) => row.replicaId !== replica.id && row.revokedAt === null);
  }

  /** Whether another one is connected to the room now. */
  get othersOnline(): boolean {
    const { replica } = this.#parts;
    return [...this.#seen].some(([replicaId, { online }]) => online && replicaId !== replica.id);
  }

  isOnline(replicaId: string): boolean {
    const { replica, linkOnline } = this.#parts;
    if (replicaId === replica.id) return linkOnline();
    return linkOnline() && this.#seen.get(replicaId)?.online === true;
  }

  keys(): string[] {
    return this.#parts.tables.replicas.keys();
  }

  read(replicaId: string): ReplicaRecord | undefined {
    const row = this.#parts.tables.replicas.get(replicaId);
    return row && this.#describe(row);
  }

  /** Calls back with ids that may have changed. The returned function ends it. */
  observe(listener: (replicaIds: string[]) => void): () => void {
    const onOne = (replicaId: string): void => listener([replicaId]);
    this.#listeners.add(onOne);
    const stop = this.#parts.tables.replicas.observe((keys) => listener([...keys]));
    return () => {
      stop();
      this.#listeners.delete(onOne);
    };
  }

  handlers(): Handlers<ReplicaSyscall> {
    const { tables, flush } = this.#parts;
    return {
      'sys.replica.list': async (_args, { caller }) => {
        demandOwner(caller.identity);
        const replicas = tables.replicas.rows().map((row) => this.#describe(row));
        return { replicas: replicas.sort((a, b) => a.joinedAt - b.joinedAt) };
      },
      'sys.replica.update': async ({ replicaId, name }, { caller }) => {
        demandOwner(caller.identity);
        const row = tables.replicas.patch(replicaId, { name });
        await flush();
        return { replica: row ? this.#describe(row) : null };
      },
      'sys.replica.revoke': async ({ replicaId }, { caller }) => {
        demandOwner(caller.identity);
        const revoked = this.#revoke(replicaId);
        await flush('reserve');
        return { revoked };
      },
    };
  }

  #revoke(replicaId: string): boolean {
    const { tables, clock } = this.#parts;
    const row = tables.replicas.get(replicaId);
    if (!row) return false;
    const revokedAt = row.revokedAt ?? clock.now();
    tables.replicas.patch(replicaId, { revokedAt });
    for (const token of tables.tokens.rows()) {
      if (token.allowedDeviceId !== `replica:${replicaId}` || token.revokedAt !== null) continue;
      tables.tokens.patch(token.tokenId, { revokedAt, revokedReason: 'shut out' });
    }
    // Also of one that has not said yet that it has the keys.
    if (!tables.shutOut.get(replicaId)) tables.shutOut.put(replicaId, { replicaId, at: revokedAt });
    return true;
  }

  #describe({ tokenId: _tokenId, ...row }: ReplicaRow): ReplicaRecord {
    const { id } = this.#parts.replica;
    const lastSeenAt = this.#seen.get(row.replicaId)?.lastSeenAt ?? null;
    return { ...row, here: row.replicaId === id, online: this.isOnline(row.replicaId), lastSeenAt };
  }

  #changed(replicaId: string): void {
    for (const listener of this.#listeners) listener(replicaId);
  }
}

type ReplicaPresence = { replicaId: string; online: boolean; lastSeenAt: number | null };
