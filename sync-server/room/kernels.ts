import { CLOSE, type Connection } from './connection.ts';

/** The kernels that are connected: one connection for each replica, the newest. */
export class Kernels {
  readonly #connections = new Map<string, Connection>();

  /** Whether the replica was not connected before. An older connection of it closes. */
  add(replicaId: string, connection: Connection): boolean {
    const older = this.#connections.get(replicaId);
    this.#connections.set(replicaId, connection);
    older?.peer.close(CLOSE.replaced, 'replaced by a newer connection of this browser');
    return older === undefined;
  }

  /** The replica that is not connected any more without this connection. */
  remove(connection: Connection): string | undefined {
    const [replicaId] = [...this.#connections].find(([, one]) => one === connection) ?? [];
    if (replicaId !== undefined) this.#connections.delete(replicaId);
    return replicaId;
  }

  isOnline(replicaId: string): boolean {
    return this.#connections.has(replicaId);
  }

  get any(): boolean {
    return this.#connections.size > 0;
  }

  tell(replicaId: string, signal: string, payload: unknown): void {
    this.#connections.get(replicaId)?.peer.signal(signal, payload);
  }

  tellAll(signal: string, payload: unknown): void {
    for (const { peer } of this.#connections.values()) peer.signal(signal, payload);
  }

  /** All but one. */
  tellOthers(replicaId: string, signal: string, payload: unknown): void {
    for (const [other, { peer }] of this.#connections) if (other !== replicaId) peer.signal(signal, payload);
  }
}
