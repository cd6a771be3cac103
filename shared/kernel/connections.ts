import type { Link } from '../protocol/link.ts';
import type { SystemTables } from '../state/system.ts';
import { isLive } from './auth/tokens.ts';
import { Connection, type ConnectionParts } from './connection.ts';

/** The pages attached to this kernel. */
export class Connections {
  readonly #open = new Map<string, Connection>();

  add(id: string, link: Link, parts: ConnectionParts): void {
    const onClosed = (closed: string): void => {
      this.#open.delete(closed);
      parts.onClosed(closed);
    };
    this.#open.set(id, new Connection(id, link, { ...parts, onClosed }));
  }

  /** To every page of this user, and of root, whose pages list everybody's processes and devices. */
  broadcast(uid: number, signal: string, payload: Record<string, unknown>): void {
    for (const connection of this.#open.values()) {
      if (connection.uid === uid || connection.uid === 0) connection.signal(signal, payload);
    }
  }

  signal(id: string, signal: string, payload: Record<string, unknown>): void {
    this.#open.get(id)?.signal(signal, payload);
  }

  /** Closes those whose token is not live any more (DESIGN 7). */
  closeRevoked(tokens: SystemTables['tokens'], now: number): void {
    for (const connection of this.#open.values()) {
      const row = connection.tokenId === null ? undefined : tokens.get(connection.tokenId);
      if (row && !isLive(row, now)) connection.close(4401, 'token revoked');
    }
  }

  closeAll(reason: string): void {
    for (const connection of this.#open.values()) connection.close(1001, reason);
  }
}
