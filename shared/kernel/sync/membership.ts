import type * as Y from 'yjs';
import { SyscallError } from '../../protocol/errors.ts';
import { CONTROL_DOC, type ControlTables, controlTables, type InviteRow } from '../../state/control.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { FS_DOC, SYSTEM_DOC, type SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Result } from '../../syscalls/table.ts';
import { hashToken, mintToken } from '../auth/tokens.ts';
import type { Founding } from '../backup/founding.ts';
import type { Handlers } from '../handler.ts';
import type { Vault } from '../ports/vault.ts';
import type { Keys } from '../seal/keys.ts';
import type { LogPlaces } from '../seal/log-places.ts';
import { inSetupMode } from '../sys/setup.ts';
import { type Joining, parseJoining } from './joining.ts';
import { demandOwner } from './owner.ts';
import type { Replica } from './replica.ts';
import type { RoomLink } from './room-link.ts';
import { INVITE, ROOM_CLAIM, ROOM_TOKEN } from './room-secrets.ts';
import { takeSecrets } from './take-secrets.ts';

const JOIN_MS = 60_000;
const RESIGN_MS = 5_000;

export type MembershipParts = {
  tables: SystemTables;
  vault: Vault;
  clock: Clock;
  random: Random;
  room: RoomLink;
  replica: Replica;
  platform: string;
  /** Resolves when what the room has of a document is here. Rejects when the signal aborts. */
  synced(doc: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the room has stored every change of a document. Rejects when the signal aborts. */
  stored(doc: string, signal: AbortSignal): Promise<void>;
  founding: Founding;
  keys: Keys;
  places: LogPlaces;
  /** What the room shows of `control` to whoever joins. */
  shown: Y.Doc;
  /** Whether the room handed out something that was not taken: the person is told of it until that is right again. */
  roomIsWrong(): boolean;
  /** Which documents may be exchanged with the room is not as it was. */
  exchangeChanged(): void;
  flush(): Promise<void>;
};

type Session = NonNullable<Result<'sys.join'>['session']>;

/**
 * `sys.join`. This replica's own token is stored before it is used, so that a kill at any point leaves either a secret
 * to try again or a token that works.
 */
export class Membership {
  readonly #parts: MembershipParts;
  #joining: Promise<Session> | null = null;
  #following = false;
  #leaving = false;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /** Whether this browser may know nothing of the GSV yet but what its room reads. */
  get following(): boolean {
    return this.#following;
  }

  handlers(): Handlers<'sys.join'> {
    return {
      // An empty browser has nobody to sign in as; who has a GSV here decides about it signed in.
      'sys.join': async ({ secret }, { caller }) => {
        const joining = await parseJoining(secret);
        if (!joining) {
          demandOwner(caller.identity);
          return this.#claim(secret);
        }
        this.#joining ??= this.#parts.founding
          .run(() => this.#follow(joining))
          .finally(() => {
            this.#joining = null;
          });
        return { joined: true, session: await this.#joining };
      },
    };
  }

  /** Ends or undoes an invitation that a kill cut off, and keeps this replica's row up to date. */
  async resume(): Promise<void> {
    const { vault, tables } = this.#parts;
    const stored = await vault.get(INVITE);
    if (stored === undefined) return this.#keepRow();
    // Nobody waits for the session that would be made: what the page has to do is to join again.
    if (inSetupMode(tables)) return this.#leave();
    const joining = await parseJoining(stored);
    const row = joining && (await rowOf(joining, tables));
    if (joining && row) await takeSecrets(this.#parts, joining, row);
    this.#keepRow();
    await vault.delete(INVITE);
  }

  /** Whether it leaves by itself: who has left was not shut out. */
  get leaving(): boolean {
    return this.#leaving;
  }

  /** Leaves the GSV for good: its token ends, which the room is told while it can be. */
  async resign(): Promise<void> {
    const { tables, replica, clock, room, flush } = this.#parts;
    this.#leaving = true;
    const revokedAt = clock.now();
    const token = this.#ownToken();
    if (token) tables.tokens.patch(token.tokenId, { revokedAt, revokedReason: 'left' });
    tables.replicas.patch(replica.id, { revokedAt });
    await flush();
    const late = new AbortController();
    const cancel = clock.after(RESIGN_MS, () => late.abort());
    // The room may cut off who has left before it says that it knows.
    const known = (): Promise<void> => this.#parts.stored(CONTROL_DOC, late.signal);
    if (room.online) await Promise.race([known(), room.refused(late.signal)]).catch(() => {});
    cancel();
    room.leave();
  }

  /** Writes the row by which the others know this replica, once it has a token. */
  #keepRow(): void {
    const { tables, replica, platform, clock } = this.#parts;
    const token = this.#ownToken();
    if (!token || tables.replicas.get(replica.id)) return;
    const { tokenId, createdAt } = token;
    const own = { name: platform, platform, tokenId, joinedAt: createdAt, revokedAt: null, storage: null };
    tables.replicas.put(replica.id, { replicaId: replica.id, ...own, joinedAt: createdAt || clock.now() });
  }

  #ownToken() {
    const { tables, replica } = this.#parts;
    const bound = `replica:${replica.id}`;
    return tables.tokens.rows().find((row) => row.allowedDeviceId === bound && row.revokedAt === null);
  }

  async #claim(secret: string): Promise<Result<'sys.join'>> {
    const { vault, room } = this.#parts;
    if (room.online) return { joined: true };
    if ((await vault.get(ROOM_TOKEN)) === undefined) await this.#makeToken();
    await vault.put(ROOM_CLAIM, secret);
    this.#keepRow();
    await room.start();
    room.retryNow();
    return { joined: true };
  }

  async #follow(joining: Joining): Promise<Session> {
    const { tables, vault, room, clock } = this.#parts;
    if (!inSetupMode(tables)) {
      throw new SyscallError(409, 'This browser already holds a GSV, and a browser holds one at a time');
    }
    const late = new AbortController();
    const cancel = clock.after(JOIN_MS, () => late.abort());
    try {
      await vault.put(INVITE, joining.text);
      await vault.put(ROOM_CLAIM, await joining.token());
      this.#following = true;
      await this.#makeToken();
      await room.start();
      room.retryNow();
      await this.#arrived([CONTROL_DOC, EPOCHS_DOC], late.signal);
      const invite = await this.#accept(joining);
      this.#endFollowing();
      await this.#arrived([CONTROL_DOC, SYSTEM_DOC, FS_DOC], late.signal).catch((thrown) => {
        // Another browser may put right what the room has. Until then this one is in, and says what is wrong.
        if (!late.signal.aborted || !this.#parts.roomIsWrong()) throw thrown;
      });
      return await this.#begin(invite);
    } catch (thrown) {
      await this.#leave();
      if (late.signal.aborted) throw new SyscallError(504, 'The server did not answer in time');
      throw thrown;
    } finally {
      cancel();
      this.#endFollowing();
    }
  }

  #endFollowing(): void {
    if (!this.#following) return;
    this.#following = false;
    this.#parts.exchangeChanged();
  }

  async #arrived(docs: readonly string[], late: AbortSignal): Promise<void> {
    const { synced, room } = this.#parts;
    await Promise.race([Promise.all(docs.map((doc) => synced(doc, late))), room.refused(late)]);
  }

  /** Takes the secrets of the GSV: what the room cannot read can be read then. */
  async #accept(joining: Joining): Promise<InviteRow> {
    const row = await rowOf(joining, controlTables(this.#parts.shown));
    if (!row) throw new SyscallError(410, 'This invitation is not there any more');
    await takeSecrets(this.#parts, joining, row);
    return row;
  }

  /** The GSV is here: makes the page a session of whoever invited. */
  async #begin(row: InviteRow): Promise<Session> {
    const { tables, vault, clock, random, flush } = this.#parts;
    const user = tables.users.get(String(row.uid));
    if (!user) throw new SyscallError(410, 'Whoever made this invitation is not there any more');
    const request = { uid: row.uid, kind: 'user', allowedRole: 'user', allowedDeviceId: null } as const;
    const session = await mintToken(
      { ...request, label: 'this browser', expiresAt: null },
      clock.now(),
      random,
    );
    tables.tokens.put(session.row.tokenId, session.row);
    if (row.kind !== 'recovery') tables.invites.delete(row.inviteId);
    this.#keepRow();
    await flush();
    await vault.delete(INVITE);
    return { username: user.username, token: session.raw, tokenId: session.row.tokenId };
  }

  /** As if the invitation had never been followed. */
  async #leave(): Promise<void> {
    const { tables, vault, room, keys } = this.#parts;
    room.leave();
    if (inSetupMode(tables)) await keys.forget();
    for (const name of [ROOM_TOKEN, ROOM_CLAIM, INVITE]) await vault.delete(name);
    const token = this.#ownToken();
    if (token && inSetupMode(tables)) tables.tokens.delete(token.tokenId);
  }

  async #makeToken(): Promise<void> {
    const { tables, vault, clock, random, replica, platform, flush } = this.#parts;
    const allowedDeviceId = `replica:${replica.id}`;
    const bound = { uid: 0, kind: 'service', allowedRole: 'service', allowedDeviceId } as const;
    const { row, raw } = await mintToken({ ...bound, label: platform, expiresAt: null }, clock.now(), random);
    tables.tokens.put(row.tokenId, row);
    await flush();
    await vault.put(ROOM_TOKEN, raw);
  }
}

async function rowOf(
  joining: Joining,
  { invites }: Pick<ControlTables, 'invites'>,
): Promise<InviteRow | undefined> {
  const hash = await hashToken(await joining.token());
  return invites.rows().find((candidate) => candidate.hash === hash);
}
