import { SyscallError } from '../protocol/errors.ts';
import type { Link } from '../protocol/link.ts';
import { EndingClock } from '../std/ending-clock.ts';
import { identityOf } from './auth/accounts.ts';
import { authenticate } from './auth/authenticate.ts';
import { Lockout } from './auth/lockout.ts';
import { type Background, background } from './boot/background.ts';
import { type IpcSide, ipcSide } from './boot/ipc-side.ts';
import { type LocalState, openLocalState } from './boot/local-state.ts';
import { type ProcessSide, processSide } from './boot/process-side.ts';
import { type RoomSide, roomSide } from './boot/room-side.ts';
import { type SealSide, sealSide } from './boot/seal-side.ts';
import type { ConnectionParts } from './connection.ts';
import { Dispatcher } from './dispatch.ts';
import { nativeHandlers } from './native-handlers.ts';
import type { KernelPorts } from './ports/kernel-ports.ts';
import { IndexKeeper } from './proc/index-keeper.ts';
import type { Processes } from './proc/processes.ts';
import { SearchIndex } from './proc/search-index.ts';
import { ensureInit, initPid } from './proc/spawn.ts';
import { Titles } from './proc/titles.ts';
import { Inbox } from './sync/inbox.ts';
import { IdleLock } from './sys/idle-lock.ts';
import { inSetupMode } from './sys/setup.ts';
import { Views } from './views/views.ts';

export type Kernel = {
  /** Takes one page's link; the kernel closes it. */
  attach(link: Link): void;
  /** Gives a process something to answer, once for each id: what its host has to tell comes in here. */
  deliver: Processes['deliver'];
  /** Tries to reach the room now, instead of waiting out the back-off. */
  retryRoom(): void;
  /** Closes every link and the storage. Nothing of it runs any more. */
  stop(): Promise<void>;
};

type Sides = {
  ports: KernelPorts;
  state: LocalState;
  room: RoomSide;
  work: ProcessSide;
  ipc: IpcSide;
  behind: Background;
  seal: SealSide;
  views: Views;
  searchIndex: SearchIndex;
  idle: IdleLock | undefined;
};

/** Starts the kernel from what is on disk: the composition root. Rejects when storage cannot be read. */
export async function bootKernel(given: KernelPorts): Promise<Kernel> {
  const clock = new EndingClock(given.clock);
  const ports = { ...given, clock };
  const { random } = ports;
  const state = await openLocalState(ports);
  const room = roomSide(ports, state);
  const work = processSide(ports, state, room, {
    dispatcher: () => dispatcher,
    ended: (row, conversationId, ending) => {
      ipc.ended(row, conversationId, ending);
      behind.started.ended(row, ending);
      titles.ended(row, conversationId, ending.status);
      keeper.ended(row.pid, conversationId);
    },
  });
  const titles = new Titles({ ...state, processes: work.processes, clock });
  const searchIndex = new SearchIndex(state.documents);
  const keeper = new IndexKeeper({
    documents: state.documents,
    index: searchIndex,
    clock,
    busy: () => work.processes.running,
  });
  const behind: Background = background(ports, state, room, work, () => dispatcher);
  const ipc: IpcSide = ipcSide(ports, state, work, (step) => behind.seat.during(step));
  const seal = sealSide(ports, state, room, (step) => behind.seat.during(step));
  const inbox = inboxOf(ports, state, room, work, behind);
  const views = viewsOf(ports, state, room, work, behind);
  const idle = ports.diskLock && new IdleLock(ports.diskLock, clock);
  const sides: Sides = { ports, state, room, work, ipc, behind, seal, views, searchIndex, idle };
  const dispatcher: Dispatcher = dispatcherOf(sides);
  ports.modelStore?.onChange(() => {
    for (const { uid } of state.tables.users.rows()) state.broadcast(uid, 'ai.local.changed', {});
  });
  const connectionParts = connecting(sides, dispatcher);

  await room.membership.resume();
  await room.room.start();
  await work.processes.resumeAll();
  behind.start();
  ipc.start();
  seal.start();
  inbox.start();
  keeper.start();
  idle?.start();
  state.homes.refresh(state.tables.users.rows());

  return {
    attach: (link) => state.connections.add(random.uuid(), link, connectionParts),
    deliver: (pid, delivery) => work.processes.deliver(pid, delivery),
    retryRoom: () => {
      room.room.retryNow();
      behind.scheduler.wake();
    },
    stop: async () => {
      for (const part of [
        behind,
        ipc,
        seal,
        inbox,
        titles,
        keeper,
        work.processes,
        work.leases,
        room.room,
        state.replication,
        state.blobs,
      ])
        part.stop();
      idle?.stop();
      state.connections.closeAll('kernel stopped');
      clock.end();
      await ports.docs.close();
    },
  };
}

/** What was left at the room while no browser was there. */
function inboxOf(
  { clock }: KernelPorts,
  state: LocalState,
  { room }: RoomSide,
  { processes }: ProcessSide,
  { seat }: Background,
): Inbox {
  const { tables } = state;
  return new Inbox({
    ...state,
    room,
    processes,
    clock,
    during: (work) => seat.during(work),
    find: (uid, pid = initPid(uid)) => {
      const user = tables.users.get(String(uid));
      if (!user) throw new SyscallError(404, 'There is no such person here');
      const identity = identityOf(user);
      const isOwn = pid === initPid(uid);
      return (isOwn ? ensureInit({ processes, clock }, identity) : processes.demand(pid, identity)).pid;
    },
  });
}

function viewsOf(
  { clock, random }: KernelPorts,
  state: LocalState,
  side: RoomSide,
  work: ProcessSide,
  { schedules }: Background,
): Views {
  const { tables, keys, notifications, connections } = state;
  const { status, replicas, room } = side;
  return new Views({
    tables,
    keys,
    processes: work.processes,
    clock,
    random,
    status,
    replicas,
    notifications,
    schedules,
    linkOnline: () => room.online,
    send: (id, payload) => connections.signal(id, 'view.patch', payload),
  });
}

function dispatcherOf({
  ports,
  state,
  room: side,
  work,
  ipc,
  behind,
  seal,
  views,
  searchIndex,
  idle,
}: Sides): Dispatcher {
  const { clock, random } = ports;
  const { tables, blobs, replication } = state;
  const { room, devices, founding, tunnel } = side;
  return new Dispatcher({
    clock,
    routing: devices.routingView(() => room.online),
    callDevice: tunnel.call,
    noteSession: (sessionId, deviceId, uid) =>
      tables.shellSessions.put(sessionId, { sessionId, deviceId, uid, createdAt: clock.now() }),
    handlers: nativeHandlers({
      ...state,
      ...side,
      ...work.world,
      ...seal,
      processes: work.processes,
      ipc,
      sched: { ...behind, clock, documents: state.documents },
      views,
      searchIndex,
      modelStore: ports.modelStore,
      copies: ports.copies,
      diskLock: ports.diskLock,
      idle,
      onlyHere: () => replication.waiting + blobs.waiting,
      erase: ports.erase,
      backup: {
        ...state,
        clock,
        random,
        readBlob: (hash) => blobs.get(hash),
        joined: () => room.state.kind !== 'alone',
        roomAway: () => room.state.kind !== 'alone' && !room.online,
        founding,
      },
    }),
  });
}

/** What each page's connection needs. */
function connecting({ ports, state, views }: Sides, dispatcher: Dispatcher): ConnectionParts {
  const { clock } = ports;
  const { tables, passwords, lock, connections } = state;
  const lockout = new Lockout(clock);
  tables.tokens.observe(() => connections.closeRevoked(tables.tokens, clock.now()));
  return {
    dispatcher,
    clock,
    setupMode: () => inSetupMode(tables),
    authenticate: (args) =>
      authenticate({ tables, passwords, clock, lockout, locked: () => lock.locked }, args),
    onClosed: (id) => {
      views.drop(id);
      state.attention.drop(id);
    },
  };
}
