import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { InviteRow } from '../../shared/state/control.ts';
import { MemoryRoomStorage } from '../../tests/support/memory-room-storage.ts';
import type { Hello } from '../../tests/support/room-client.ts';
import { ask, claimedRoom, openRoom, replicaHello } from '../../tests/support/room-in-memory.ts';
import { putToken, revokeToken, tokenIdOf } from '../../tests/support/system-doc.ts';
import { Invites } from './invites.ts';
import { MAX_REPLICAS } from './replicas.ts';

const SECRET = `gsv_invite_${'i'.repeat(43)}`;
const TEN_MINUTES = 600_000;

function invite(changes: Partial<InviteRow> = {}): InviteRow {
  return {
    inviteId: 'invite-1',
    hash: createHash('sha256').update(SECRET).digest('hex'),
    sealed: '',
    uid: 1000,
    createdAt: 0,
    expiresAt: TEN_MINUTES,
    ...changes,
  };
}

function newcomer(id: string, token = SECRET): Hello {
  return { id, role: 'service', username: 'root', token };
}

async function invitingRoom() {
  const room = await claimedRoom();
  await room.change((tables) => tables.invites.put('invite-1', invite()));
  /** What a newcomer does first: puts a token of its own. */
  const settle = (id: string): Promise<void> =>
    room.change((tables) =>
      putToken(tables, replicaHello(id).token, { uid: 0, kind: 'service', allowedDeviceId: `replica:${id}` }),
    );
  return { ...room, settle };
}

describe('an invitation', () => {
  test('[R77] lets a replica in, which then stands on its own token and falls with it', async () => {
    const { connect, settle, change, clock } = await invitingRoom();
    const phone = await connect(newcomer('phone'));
    expect(phone.welcome).toMatchObject({ identity: { role: 'service', channel: 'kernel' } });
    expect(await ask(phone, 'doc.open', { doc: 'control', channel: 11 })).toEqual({ seq: 2 });
    await settle('phone');
    await clock.advance(10 * TEN_MINUTES);
    expect(phone.closed()).toBeNull();
    await change((tables) => revokeToken(tables, replicaHello('phone').token));
    await clock.advance(0);
    expect(phone.closed()).toBe('token revoked');
  });

  test('[R77] a replica whose token is there already stands on it at once', async () => {
    const { connect, settle, clock } = await invitingRoom();
    await settle('phone');
    const phone = await connect(newcomer('phone'));
    await clock.advance(TEN_MINUTES);
    expect(phone.closed()).toBeNull();
  });

  test('[R116] is not used up by a browser for which there is no number left', async () => {
    const { storage, restart, settle } = await invitingRoom();
    await settle('phone');
    await storage.put('replica/last', { index: MAX_REPLICAS - 1, lastSeenAt: 1 });
    const full = await restart();
    const refused = full.connect(newcomer('phone'));
    await expect(refused).rejects.toMatchObject({ code: 409, message: expect.stringContaining('no more') });
    await expect(full.connect(replicaHello('phone'))).rejects.toMatchObject({ code: 409 });
    await storage.delete('replica/last');
    const roomy = await full.restart();
    expect((await roomy.connect(newcomer('tablet'))).welcome).toMatchObject({
      identity: { role: 'service' },
    });
  });

  test('[R78] is refused when it is unknown, has run out, or was used by another replica', async () => {
    const { connect, change, clock } = await invitingRoom();
    await expect(connect(newcomer('phone', 'gsv_invite_guess'))).rejects.toMatchObject({ code: 401 });
    await expect(connect({ ...newcomer('phone'), username: 'alice' })).rejects.toMatchObject({ code: 401 });
    await connect(newcomer('phone'));
    await expect(connect(newcomer('thief'))).rejects.toMatchObject({
      code: 401,
      message: expect.stringContaining('has been used'),
    });
    const later = createHash('sha256').update('gsv_invite_later').digest('hex');
    await change((tables) => tables.invites.put('later', invite({ inviteId: 'later', hash: later })));
    await clock.advance(TEN_MINUTES);
    await expect(connect(newcomer('tablet', 'gsv_invite_later'))).rejects.toMatchObject({
      code: 401,
      message: expect.stringContaining('has run out'),
    });
  });

  test('[R78] guesses lock out those who guess for a minute, and nobody who has a token or an invitation', async () => {
    const { connect, kernel, clock } = await invitingRoom();
    const guess = newcomer('phone', 'gsv_invite_guess');
    for (let at = 0; at < 10; at += 1) await expect(connect(guess)).rejects.toMatchObject({ code: 401 });
    await expect(connect(guess)).rejects.toMatchObject({ code: 429 });
    await kernel('replica-2');
    await connect(newcomer('phone'));
    await clock.advance(60_000);
    await expect(connect(guess)).rejects.toMatchObject({ code: 401 });
  });

  test('[R79] lets the same replica in again, also after a restart of the room, and no other', async () => {
    const { connect, restart } = await invitingRoom();
    (await connect(newcomer('phone'))).peer.close(1000, 'gone');
    await connect(newcomer('phone'));
    const later = await restart();
    await expect(later.connect(newcomer('thief'))).rejects.toMatchObject({ code: 401 });
    await later.connect(newcomer('phone'));
  });

  test('[R80] shuts out a newcomer that has put no token of its own within a minute', async () => {
    const { connect, clock } = await invitingRoom();
    const phone = await connect(newcomer('phone'));
    await clock.advance(59_999);
    expect(phone.closed()).toBeNull();
    await clock.advance(1);
    expect(phone.closed()).toBe('no token of its own within 60 s');
  });

  test('[R81] does not let in again the replica that used it and was shut out', async () => {
    const { connect, settle, change } = await invitingRoom();
    await connect(newcomer('phone'));
    await settle('phone');
    await change((tables) => revokeToken(tables, replicaHello('phone').token));
    const shutOut = { code: 401, message: expect.stringContaining('shut out') };
    await expect(connect(newcomer('phone'))).rejects.toMatchObject(shutOut);
    await change((tables) => {
      tables.tokens.delete(tokenIdOf(replicaHello('phone').token));
      const row = { replicaId: 'phone', name: 'phone', platform: 'test', tokenId: null, storage: null };
      tables.replicas.put('phone', { ...row, joinedAt: 1, revokedAt: 2 });
    });
    await expect(connect(newcomer('phone'))).rejects.toMatchObject(shutOut);
  });

  test('[R82] of several replicas that come with one invitation at once, one is let in', async () => {
    const { connect } = await invitingRoom();
    const come = (id: string) =>
      connect(newcomer(id)).then(
        () => 'in',
        () => 'out',
      );
    const results = await Promise.all(['a', 'b', 'c', 'd'].map(come));
    expect(results.sort()).toEqual(['in', 'out', 'out', 'out']);
  });

  test('[R82] is its first user’s though both were looked at before', async () => {
    const invites = await Invites.load(new MemoryRoomStorage());
    const [first, second] = ['a', 'b'].map((id) => invites.admit(invite(), id, 0));
    await first?.begin();
    await expect(second?.begin()).rejects.toMatchObject({ code: 401 });
  });

  test('[R82] whose use cannot be stored is not used', async () => {
    const { connect, storage } = await invitingRoom();
    storage.failure = new Error('database or disk is full');
    await expect(connect(newcomer('phone'))).rejects.toMatchObject({ code: 507 });
    storage.failure = null;
    await connect(newcomer('tablet'));
  });

  test('[R83] opens no room that nobody has claimed', async () => {
    const { connect } = await openRoom();
    await expect(connect(newcomer('phone'))).rejects.toMatchObject({ code: 425 });
  });
});
