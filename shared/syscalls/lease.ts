import { Type } from 'typebox';
import { Count, declare, Name, nullable, record } from './declare.ts';

const Epoch = Type.Integer({ minimum: 1 });

/**
 * Leases of a room: at most one replica holds a name at a time, and each grant to another holder has a higher epoch
 * (DESIGN 5). Names: `proc:<pid>` for the runs of a process, `seat` for background work.
 */
export const leaseSyscalls = {
  'lease.acquire': declare({
    doc: 'Takes a lease or renews the caller’s own. Another’s is granted only when it has ended, or with `force`, which a person decided; its holder is told by a `lease.lost` signal. `forMs` counts from the answer.',
    args: record({ name: Name, force: Type.Boolean() }),
    result: Type.Union([
      record({ granted: Type.Literal(true), epoch: Epoch, forMs: Count }),
      record({
        granted: Type.Literal(false),
        epoch: Epoch,
        holder: Name,
        /** Whether the holder is connected to the room. */
        online: Type.Boolean(),
        forMs: Count,
      }),
    ]),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
  'lease.release': declare({
    doc: 'Gives a lease back. Nothing happens when it is another’s by now.',
    args: record({ name: Name, epoch: Epoch }),
    result: record({ released: Type.Boolean() }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
  'lease.get': declare({
    doc: 'Who holds a lease; null when nobody does.',
    args: record({ name: Name }),
    result: record({
      lease: nullable(record({ holder: Name, epoch: Epoch, online: Type.Boolean(), forMs: Count })),
    }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
};
