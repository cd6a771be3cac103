import { Calls } from '../ipc/calls.ts';
import { Courier } from '../ipc/courier.ts';
import { Watches } from '../ipc/watches.ts';
import type { KernelPorts } from '../ports/kernel-ports.ts';
import type { ProcessWorld } from '../proc/process-parts.ts';
import type { LocalState } from './local-state.ts';
import type { ProcessSide } from './process-side.ts';

/** Processes that tell each other. */
export type IpcSide = ReturnType<typeof ipcSide>;

/** Does work for the whole GSV where no other replica does; resolves to whether it did. */
type During = (work: () => Promise<void>) => Promise<boolean>;

/** Nothing is told before `start`. */
export function ipcSide(
  { clock, random }: KernelPorts,
  { tables, replica, signals }: LocalState,
  { processes, leases }: ProcessSide,
  during: During,
) {
  const courier: Courier = new Courier({
    tables,
    processes,
    self: replica.id,
    during,
    clock,
    settled: (row, error) => watches.settled(row, error),
  });
  const calls = new Calls({
    tables,
    courier,
    signals,
    clock,
    self: replica.id,
    apart: () => leases.needed() && !leases.online,
    during,
    stopChild: ({ pid, conversationId }) => {
      const row = processes.row(pid);
      if (row)
        void processes
          .open(row, conversationId)
          .then((process) => process.abort())
          .catch(() => {});
    },
  });
  const watches = new Watches({ tables, courier, signals, clock, random, during });
  const parts = [courier, calls, watches];
  const ended: ProcessWorld['ended'] = ({ pid, uid }, conversationId, { conversation, ...ending }) => {
    const { status, text, error = '' } = ending;
    calls.ended(pid, conversationId, { status, text: status === 'ok' ? text : error, conversation });
    watches.ended(uid, { pid, conversationId, timestamp: clock.now(), ...ending });
  };
  return {
    calls,
    watches,
    ended,
    start: () => {
      for (const part of parts) part.start();
    },
    stop: () => {
      courier.stop();
      calls.stop();
    },
  };
}
