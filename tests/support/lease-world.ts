import { type LeaseRoom, Leases } from '../../shared/kernel/sync/leases.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { Leases as RoomLeases } from '../../sync-server/room/lease.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryRoomStorage } from './memory-room-storage.ts';

/** The room's real leases and two replicas, each with a clock of its own. */
export async function leaseWorld() {
  const clock = new ManualClock();
  const replicas = new Map<string, Leases>();
  const room = await RoomLeases.load({
    storage: new MemoryRoomStorage(),
    clock,
    isOnline: () => true,
    onLost: (replicaId, lost) => replicas.get(replicaId)?.onLost(lost),
  });
  const replica = (id: string) => {
    const link = { online: true };
    const own = new ManualClock();
    const lost = (): SyscallError => new SyscallError(503, 'not connected');
    const answers = {
      'lease.acquire': (args: Args<'lease.acquire'>) => room.acquire(id, args),
      'lease.release': (args: Args<'lease.release'>) => room.release(id, args),
      'lease.get': async ({ name }: Args<'lease.get'>) => room.get(name),
    };
    const call: LeaseRoom['call'] = async (name, args) => {
      if (!link.online) throw lost();
      const answer = answers[name] as (args: unknown) => Promise<Result<typeof name>>;
      return answer(args);
    };
    const leases = new Leases(
      {
        get online() {
          return link.online;
        },
        needed: () => true,
        call,
      },
      own,
    );
    replicas.set(id, leases);
    return { link, leases, clock: own };
  };
  /** Time passes for everybody. */
  const pass = async (ms: number, ...clocks: ManualClock[]) => {
    for (let left = ms; left > 0; left -= 1000)
      for (const one of [clock, ...clocks]) await one.advance(Math.min(1000, left));
  };
  return { clock, pass, a: replica('a'), b: replica('b') };
}
