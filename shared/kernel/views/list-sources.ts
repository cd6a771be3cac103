import type { Caller } from '../handler.ts';
import type { Schedules } from '../sched/schedules.ts';
import { demandOwner } from '../sync/owner.ts';
import type { Replicas } from '../sync/replicas.ts';
import type { Notifications } from '../sys/notifications.ts';
import type { Status } from '../sys/status.ts';
import { keyed, type Source } from './source.ts';

/** One row, `status`: what `sys.status` answers. */
export function statusSource(status: Status): Source {
  return keyed(
    () => ['status'],
    () => ({ ...status.read() }),
    (changed) => status.onChange(() => changed(['status'])),
  );
}

/** The browsers that hold this GSV, by replica id. Throws 403 for anybody but its owner. */
export function replicasSource(replicas: Replicas, caller: Caller): Source {
  demandOwner(caller.identity);
  return keyed(
    () => replicas.keys(),
    (replicaId) => replicas.read(replicaId),
    (changed) => replicas.observe(changed),
  );
}

/** What the caller was told and has not dismissed, by notification id. */
export function notificationsSource(notifications: Notifications, caller: Caller): Source {
  const { uid } = caller.identity;
  return keyed(
    () => notifications.idsOf(uid),
    (id) => notifications.shown(uid, id),
    (changed) => notifications.observe(changed),
  );
}

/** The caller's schedules, by their ids; root sees its own here, too. */
export function schedulesSource(schedules: Schedules, { identity }: Caller): Source {
  const { uid } = identity;
  const read = (id: string) => {
    const record = schedules.record(id);
    return record?.ownerUid === uid ? { ...record } : undefined;
  };
  return keyed(
    () => schedules.rows(uid).map(({ id }) => id),
    read,
    (changed) => schedules.observe(changed),
  );
}
