import type { Dispatcher } from '../dispatch.ts';
import { cronView, schedulerLogView } from '../fs/views/sched-views.ts';
import type { KernelPorts } from '../ports/kernel-ports.ts';
import { LeftRuns } from '../proc/left-runs.ts';
import { syscallsFor } from '../proc/process-parts.ts';
import { Seat } from '../proc/seat.ts';
import { carryOut } from '../sched/carry-out.ts';
import { Crontabs } from '../sched/crontabs.ts';
import { goesOn } from '../sched/goes-on.ts';
import { principal } from '../sched/principal.ts';
import { Scheduler } from '../sched/scheduler.ts';
import { Schedules } from '../sched/schedules.ts';
import { Started } from '../sched/started.ts';
import { Ticks } from '../sched/ticks.ts';
import { Wakes } from '../sched/wakes.ts';
import type { LocalState } from './local-state.ts';
import type { ProcessSide } from './process-side.ts';
import type { RoomSide } from './room-side.ts';

/** What is done for the whole GSV by one replica at a time. */
export type Background = ReturnType<typeof background>;

/** Nothing is done before `start`. */
export function background(
  { clock, random }: KernelPorts,
  state: LocalState,
  { room }: RoomSide,
  { processes, leases }: ProcessSide,
  dispatcher: () => Dispatcher,
) {
  const { tables, processStates, config, fs, flush, notifications, replica, replication, lock } = state;
  const seat = new Seat({ leases, room: replication, clock });
  const wakes = new Wakes(tables, clock);
  const schedules = new Schedules({ tables, config, wakes, processes, clock, random, flush });
  const crontabs = new Crontabs({ tables, config, schedules, clock, flush });
  fs.mount('/var/spool/cron', cronView(tables, crontabs));
  fs.mount('/var/log/gsv/scheduler', schedulerLogView(tables, schedules));
  const doing = { tables, config, fs, processes, clock, syscallsFor: syscallsFor.bind(null, dispatcher) };
  const ticks = new Ticks({
    tables,
    notifications,
    clock,
    self: replica.id,
    flush,
    carryOut: async (tick) => {
      const outcome = await carryOut(doing, tick);
      if (tick.row.target.kind === 'process.spawn') void started.tidy(tick.row.id);
      return outcome;
    },
    goesOn: (last, row) => goesOn(processes, last, row),
    told: () => seat.told(),
  });
  const started = new Started({
    schedules,
    ticks,
    processes,
    end: async (scheduleId, pid) => {
      const row = tables.schedules.get(scheduleId);
      if (row) await doing.syscallsFor(principal(doing, row, row.author)).call('proc.kill', { pid });
    },
  });
  const scheduler = new Scheduler({
    tables,
    wakes,
    ticks,
    seat,
    clock,
    self: replica.id,
    mayRun: () => !lock.locked,
    remove: (id) => schedules.remove(id),
    report: (error) => console.error('A schedule could not be run', error),
  });
  let leftRuns: LeftRuns | undefined;
  room.onChange(() => {
    if (room.online) scheduler.wake();
  });
  return {
    seat,
    schedules,
    scheduler,
    started,
    ticks,
    wakes,
    start: () => {
      leftRuns = new LeftRuns({ seat, states: processStates, processes, self: replica, leases, clock });
      scheduler.start();
    },
    stop: () => {
      leftRuns?.stop();
      scheduler.stop();
    },
  };
}
