import { GSV_VERSION } from '../../protocol/version.ts';
import { UsageLedger } from '../budget/ledger.ts';
import type { Dispatcher } from '../dispatch.ts';
import { procView } from '../fs/views/proc-view.ts';
import { MediaStore } from '../media/media-store.ts';
import type { KernelPorts } from '../ports/kernel-ports.ts';
import { conversationFiles } from '../proc/conversation-files.ts';
import { LiveFrames } from '../proc/live-frames.ts';
import { type ProcessWorld, processParts } from '../proc/process-parts.ts';
import { ACTIVITY, Processes } from '../proc/processes.ts';
import { ReplicaSignals } from '../sync/replica-signals.ts';
import { roomLeases } from '../sync/room-leases.ts';
import { RunNotices } from '../sys/run-notices.ts';
import type { LocalState } from './local-state.ts';
import type { RoomSide } from './room-side.ts';

/** After a connection to the room begins. */
const LOOK_AROUND_MS = 3_000;

/** The processes, with what they share. */
export type ProcessSide = ReturnType<typeof processSide>;

/**
 * Nothing runs before `processes.resumeAll`. `dispatcher` is asked for when a process makes its first call; `ended` is
 * told of the end of each run.
 */
export function processSide(
  ports: KernelPorts,
  state: LocalState,
  { room, replicas, devices }: RoomSide,
  { dispatcher, ended }: { dispatcher: () => Dispatcher; ended: ProcessWorld['ended'] },
) {
  const { clock, random, models } = ports;
  const { tables, processStates, config, fs, documents, replica, replication } = state;
  const { broadcast, connections, openWork } = state;
  const leases = roomLeases({
    room,
    replicas,
    clock,
    onConnected: () => {
      openWork.connected();
      // By then the processes are as the room has them.
      clock.after(LOOK_AROUND_MS, () => void processes.lookAround());
    },
  });
  room.onChange(() => leases.onLink());
  const others = (): boolean => replicas.othersOnline;
  const replicaSignals = new ReplicaSignals({ room, keys: state.keys, random });
  const frames = new LiveFrames({ others, send: (frame) => replicaSignals.send(frame) }, clock);
  const world: ProcessWorld = {
    tables,
    processStates,
    config,
    models,
    fs,
    devices,
    clock,
    random,
    dispatcher,
    broadcast,
    frames,
    media: new MediaStore({ fs, random }),
    notices: new RunNotices({ ...state, clock }),
    usage: new UsageLedger({
      tables,
      self: replica,
      clock,
      timezone: () => config.resolve(0, 'server/timezone') ?? 'UTC',
    }),
    ended,
  };
  const processes: Processes = new Processes({
    tables,
    states: processStates,
    documents,
    self: replica,
    work: openWork,
    leases,
    room: replication,
    frames,
    clock,
    random,
    partsFor: (row, conversationId) => processParts(world, row, conversationId),
  });
  const conversations = conversationFiles({ processes, fs });
  const { startedAt } = state;
  fs.mount(
    '/proc',
    procView({ tables, processStates, clock, version: GSV_VERSION, startedAt, conversations }),
  );
  replication.keepHere((name) => {
    const [kind, pid, conversationId] = name.split('/');
    return kind === 'conv' && processes.conversations.isPrivate(pid ?? '', conversationId ?? '');
  });
  tables.conversations.observe(() => replication.staysChanged());
  replicaSignals.onSignal((said) => {
    const frame = LiveFrames.read(said);
    if (frame?.signal === ACTIVITY) processes.heard(frame.payload);
    else if (frame) connections.broadcast(frame.uid, frame.signal, frame.payload);
  });
  replicas.observe(() => {
    if (!replicas.othersOnline) processes.nobodyElse();
  });
  return { leases, world, processes };
}
