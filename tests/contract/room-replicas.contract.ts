import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ClaimedRoom } from '../support/claimed-room.ts';
import { RoomClient } from '../support/room-client.ts';
import { putToken, revokeToken } from '../support/system-doc.ts';

type Status = { event: string; replica: { replicaId: string; online: boolean; lastSeenAt: number } };

export function replicaRules(room: () => ClaimedRoom): void {
  /** An invitation that the room has stored; its secret. */
  const invite = async (expiresAt = Date.now() + 600_000): Promise<string> => {
    const secret = `gsv_invite_${randomBytes(32).toString('base64url')}`;
    const hash = createHash('sha256').update(secret).digest('hex');
    const inviteId = `invite-${hash.slice(0, 8)}`;
    await room().change((tables) =>
      tables.invites.put(inviteId, { inviteId, hash, sealed: '', uid: 1000, createdAt: 1, expiresAt }),
    );
    return secret;
  };
  const newcomer = async (id: string, token: string): Promise<RoomClient> => {
    const client = await RoomClient.open(room().address.socketUrl);
    await client.connect({ id, role: 'service', username: 'root', token });
    return client;
  };

  describe('replicas', () => {
    test('[R77] an invitation lets a replica in, which then stands on its own token', async () => {
      const secret = await invite();
      const phone = await newcomer('phone', secret);
      await room().change((tables) =>
        putToken(tables, 'gsv_service_phone', { uid: 0, kind: 'service', allowedDeviceId: 'replica:phone' }),
      );
      await room().change((tables) => revokeToken(tables, 'gsv_service_phone'));
      expect(await phone.closed()).toEqual({ code: 4401, reason: 'token revoked' });
      await expect(newcomer('phone', secret)).rejects.toMatchObject({ code: 401 });
    });

    test('[R78] an invitation is used by one replica, and only while it lasts', async () => {
      const secret = await invite();
      const first = await newcomer('tablet', secret);
      await expect(newcomer('thief', secret)).rejects.toMatchObject({ code: 401 });
      await first.close();
      await (await newcomer('tablet', secret)).close();
      const late = await invite(Date.now() - 1);
      await expect(newcomer('tablet', late)).rejects.toMatchObject({ code: 401 });
    });

    test('[R84] each replica has its own number, the same each time', async () => {
      const numbers: unknown[] = [];
      for (const id of ['replica-2', 'replica-3', 'replica-2'] as const) {
        const client = await RoomClient.open(room().address.socketUrl);
        const token = id === 'replica-2' ? 'gsv_service_other' : 'gsv_service_third';
        const { data } = await client.connect({ id, role: 'service', username: 'root', token });
        numbers.push((data as { server: { replicaIndex: number } }).server.replicaIndex);
        await client.close();
      }
      const [two, three] = numbers;
      expect(numbers).toEqual([two, three, two]);
      expect(new Set([0, two, three]).size).toBe(3);
    });

    test('[R86] a kernel hears of the others: who there is, who comes and who goes', async () => {
      const client = await room().kernel();
      const about = (id: string, kind: string) => (payload: Record<string, unknown>) => {
        const { event, replica } = payload as Status;
        return event === kind && replica.replicaId === id;
      };
      const founder = await client.signal('replica.status', about('replica-1', 'snapshot'));
      expect(founder).toMatchObject({ replica: { online: true } });
      const other = await room().kernel('replica-3');
      await client.signal('replica.status', about('replica-3', 'connected'));
      await other.close();
      const gone = await client.signal('replica.status', about('replica-3', 'disconnected'));
      expect(gone).toMatchObject({ replica: { online: false, lastSeenAt: expect.any(Number) } });
      await client.close();
    });

    test('[R88] a newer connection of a replica replaces the older one', async () => {
      const older = await room().kernel();
      const newer = await room().kernel();
      expect(await older.closed()).toMatchObject({ code: 4409 });
      expect(newer.peer.closed).toBe(false);
      await newer.close();
    });

    test('[R89] live frames of one kernel reach the others with their source', async () => {
      const [one, two] = [await room().kernel(), await room().kernel('replica-3')];
      const frame = { uid: 1000, signal: 'proc.run.stream', payload: { pid: 'p1', seq: 1 } };
      one.peer.signal('replica.signal', frame);
      expect(await two.signal('replica.signal')).toEqual({ ...frame, from: 'replica-2' });
      expect(one.signals.filter(({ signal }) => signal === 'replica.signal')).toEqual([]);
      await Promise.all([one.close(), two.close()]);
    });

    test('[R94] a lease is one’s at a time, is taken by force, and fences the calls made under it', async () => {
      const [one, two] = [await room().kernel(), await room().kernel('replica-3')];
      const take = async (client: RoomClient, force: boolean) =>
        (await client.call('lease.acquire', { name: 'proc:p1', force })).data as {
          granted: boolean;
          epoch: number;
        };
      const { granted, epoch } = await take(one, false);
      expect(granted).toBe(true);
      expect(await take(two, false)).toMatchObject({ granted: false, holder: 'replica-2', online: true });
      expect(await take(two, true)).toMatchObject({ granted: true, epoch: epoch + 1 });
      expect(await one.signal('lease.lost')).toEqual({
        name: 'proc:p1',
        epoch: epoch + 1,
        holder: 'replica-3',
      });
      const stale = one.call('sys.device.list', {}, { lease: { name: 'proc:p1', epoch } });
      await expect(stale).rejects.toMatchObject({
        code: 409,
        details: { lease: 'proc:p1', epoch: epoch + 1 },
      });
      await two.call('sys.device.list', {}, { lease: { name: 'proc:p1', epoch: epoch + 1 } });
      await Promise.all([one.close(), two.close()]);
    });
  });
}
