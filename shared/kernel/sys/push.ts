import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Handlers } from '../handler.ts';

export type PushHandlerParts = {
  tables: Pick<SystemTables, 'push'>;
  replica: { readonly id: string };
  clock: Clock;
  flush(): Promise<void>;
};

/** A browser has one subscription for each of its people. The room reads them; nobody else uses them. */
export function pushHandlers({
  tables,
  replica,
  clock,
  flush,
}: PushHandlerParts): Handlers<'notification.push.set' | 'notification.push.remove'> {
  const keyOf = (uid: number): string => `${replica.id}/${uid}`;
  return {
    'notification.push.set': async (args, { caller }) => {
      const { uid } = caller.identity;
      const known = tables.push.get(keyOf(uid));
      const row = { ...args, uid, replicaId: replica.id, createdAt: clock.now() };
      const same = known?.endpoint === row.endpoint && known.p256dh === row.p256dh && known.auth === row.auth;
      if (!same) tables.push.put(keyOf(uid), row);
      await flush();
      return { ok: true };
    },
    'notification.push.remove': async (_args, { caller }) => {
      const removed = tables.push.delete(keyOf(caller.identity.uid));
      await flush();
      return { removed };
    },
  };
}
