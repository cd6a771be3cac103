import { Value } from 'typebox/value';
import { SHELL_SESSION_MS } from '../../shared/kernel/routing.ts';
import { ShellSessionRow } from '../../shared/state/system.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { RoomStorage } from './storage.ts';

const PREFIX = 'shell/';

/** Which device runs a shell session, so that a later call finds it by its id alone. Kept for 24 hours. */
export class ShellSessions {
  readonly #storage: RoomStorage;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, ShellSessionRow>();

  private constructor(storage: RoomStorage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  static async load(storage: RoomStorage, clock: Clock): Promise<ShellSessions> {
    const sessions = new ShellSessions(storage, clock);
    for (const [, stored] of await storage.list(PREFIX)) {
      if (Value.Check(ShellSessionRow, stored)) sessions.#sessions.set(stored.sessionId, stored);
    }
    await sessions.#forgetOld();
    return sessions;
  }

  get(sessionId: string): ShellSessionRow | undefined {
    const session = this.#sessions.get(sessionId);
    return session && !this.#isOld(session) ? session : undefined;
  }

  /** Keeps a session that a device opened. A device cannot take over the session of another. */
  async opened(sessionId: string, deviceId: string, uid: number): Promise<void> {
    if (this.get(sessionId)) return;
    await this.#forgetOld();
    const row = { sessionId, deviceId, uid, createdAt: this.#clock.now() };
    this.#sessions.set(sessionId, row);
    await this.#storage.put(PREFIX + sessionId, row);
  }

  #isOld(session: ShellSessionRow): boolean {
    return this.#clock.now() - session.createdAt > SHELL_SESSION_MS;
  }

  /** Sessions past their time leave memory and storage. */
  async #forgetOld(): Promise<void> {
    for (const session of [...this.#sessions.values()]) {
      if (!this.#isOld(session)) continue;
      this.#sessions.delete(session.sessionId);
      await this.#storage.delete(PREFIX + session.sessionId);
    }
  }
}
