import type { Link } from '../protocol/link.ts';
import { GSV_VERSION } from '../protocol/version.ts';
import { FS_DOC, SYSTEM_DOC, systemTables } from '../state/system.ts';
import type { Clock } from '../std/clock.ts';
import type { Random } from '../std/random.ts';
import { upgradeGroups } from './auth/accounts.ts';
import { authenticate } from './auth/authenticate.ts';
import { Lockout } from './auth/lockout.ts';
import { ReplicaLock } from './auth/replica-lock.ts';
import { Founding } from './backup/founding.ts';
import { Connections } from './connections.ts';
import { Dispatcher } from './dispatch.ts';
import { Documents } from './documents.ts';
import { createFileSystem } from './fs/create-file-system.ts';
import { nativeHandlers } from './native-handlers.ts';
import type { BlobStore } from './ports/blob-store.ts';
import type { DocStore } from './ports/doc-store.ts';
import type { Models } from './ports/models.ts';
import type { RoomDialer } from './ports/room-dialer.ts';
import type { SkillSource } from './ports/skill-source.ts';
import type { Vault } from './ports/vault.ts';
import { LiveFrames } from './proc/live-frames.ts';
import { OpenWork, WORK_DOC } from './proc/open-work.ts';
import { type ProcessWorld, processParts } from './proc/process-parts.ts';
import { ACTIVITY, Processes } from './proc/processes.ts';
import { Seat } from './proc/seat.ts';
import { BlobSync } from './sync/blob-sync.ts';
import { Devices } from './sync/devices.ts';
import { Membership } from './sync/membership.ts';
import { Replica } from './sync/replica.ts';
import { Replicas } from './sync/replicas.ts';
import { Replication } from './sync/replication.ts';
import { roomLeases } from './sync/room-leases.ts';
import { RoomLink } from './sync/room-link.ts';
import { Config } from './sys/config.ts';
import { tellOfConflict } from './sys/file-notices.ts';
import { Homes } from './sys/homes.ts';
import { Notifications } from './sys/notifications.ts';
import { inSetupMode } from './sys/setup.ts';
import { Status } from './sys/status.ts';
import { TellingVault } from './telling-vault.ts';
import { Views } from './views/views.ts';

export type KernelPorts = {
  docs: DocStore;
  blobs: BlobStore;
  vault: Vault;
  models: Models;
  dialer: RoomDialer;
  skills: SkillSource;
  clock: Clock;
  random: Random;
  /** For people: "Chrome on Linux". */
  platform: string;
  /** Removes everything that this host stores. The kernel is of no use after it, and the host ends it. */
  erase(): Promise<void>;
};

export type Kernel = {
  /** Takes one page's link; the kernel closes it. */
  attach(link: Link): void;
  /** Tries to reach the room now, instead of waiting out the back-off. */
  retryRoom(): void;
  /** Closes every link and the storage. */
  stop(): Promise<void>;
};

/** After a connection to the room begins. */
const LOOK_AROUND_MS = 3_000;

/** Starts the kernel from what is on disk: the composition root. Rejects when storage cannot be read. */
export async function bootKernel(ports: KernelPorts): Promise<Kernel> {
  const { clock, random, models, dialer, platform } = ports;
  const vault = new TellingVault(ports.vault);
  const documents = new Documents(ports.docs);
  const replication = await Replication.open(documents, clock);
  const flush = (): Promise<void> => documents.flush();
  const [system, files, work] = await Promise.all([
    documents.open(SYSTEM_DOC),
    documents.open(FS_DOC),
    documents.open(WORK_DOC),
  ]);
  const replica = await Replica.load(vault, random);
  const blobs = await BlobSync.load({
    store: ports.blobs,
    outbox: replication.outbox,
    clock,
    ready: (signal) => replication.synced(FS_DOC, signal),
  });

  const tables = systemTables(system);
  const config = new Config(tables, vault, flush);
  upgradeGroups(tables);
  const startedAt = clock.now();
  const connections = new Connections();
  const broadcast = (uid: number, signal: string, payload: Record<string, unknown>): void =>
    connections.broadcast(uid, signal, payload);
  const notifications = new Notifications({ tables, clock, random, broadcast, flush });
  const fs = createFileSystem({
    doc: files,
    blobs,
    tables,
    config,
    clock,
    random,
    flush,
    version: GSV_VERSION,
    startedAt,
    writer: () => replica.index,
    onConflict: (conflict) => tellOfConflict(notifications, conflict),
  });
  const homes = new Homes(fs, ports.skills);

  const devices = new Devices(tables, clock, (uid, payload) =>
    connections.broadcast(uid, 'device.status', payload),
  );
  const room = new RoomLink({
    dialer,
    vault,
    clock,
    random,
    replica,
    platform,
    onChange: () => {
      devices.onLink(room.state.kind);
      if (room.state.kind === 'refused' && room.state.revoked) void lock.lock();
      if (!room.online) replicas.onLinkLost();
      leases.onLink();
      status.changed();
    },
  });
  const replicas = new Replicas({ tables, replica, clock, flush, linkOnline: () => room.online });
  room.onSignal('device.status', (payload) => devices.onStatus(payload));
  room.onSignal('replica.status', (payload) => replicas.onStatus(payload));
  replication.follow(room, () => status.changed());
  blobs.follow(room, fs.blobs, () => status.changed());
  const lock = await ReplicaLock.load(vault, clock, () => {
    connections.closeAll('this browser was shut out');
    status.changed();
  });
  const status = new Status({
    tables,
    room,
    problem: () => replication.problem ?? blobs.problem,
    waiting: () => replication.waiting + blobs.waiting,
    replica,
    lock,
  });
  const founding = new Founding();
  const membership = new Membership({
    tables,
    vault,
    clock,
    random,
    room,
    replica,
    platform,
    flush,
    synced: (doc, signal) => replication.synced(doc, signal),
    stored: (doc, signal) => replication.stored([doc], signal),
    founding,
  });

  const openWork = new OpenWork(work);
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
  const others = (): boolean => replicas.othersOnline;
  const frames = new LiveFrames({ others, send: (frame) => room.signal('replica.signal', frame) }, clock);
  room.onSignal('replica.signal', (payload) => {
    const frame = LiveFrames.read(payload);
    if (frame?.signal === ACTIVITY) processes.heard(frame.payload);
    else if (frame) broadcast(frame.uid, frame.signal, frame.payload);
  });

  const dispatcherNow = (): Dispatcher => dispatcher;
  const world: ProcessWorld = {
    tables,
    config,
    models,
    fs,
    devices,
    clock,
    random,
    dispatcher: dispatcherNow,
    broadcast,
    frames,
  };
  const processes = new Processes({
    tables,
    documents,
    self: replica,
    work: openWork,
    leases,
    room: replication,
    frames,
    clock,
    random,
    partsFor: (row) => processParts(world, row),
  });
  const linkOnline = (): boolean => room.online;
  const send = (id: string, payload: Record<string, unknown>): void =>
    connections.signal(id, 'view.patch', payload);
  const views = new Views({
    tables,
    processes,
    clock,
    random,
    status,
    replicas,
    notifications,
    linkOnline,
    send,
  });

  const dispatcher = new Dispatcher({
    clock,
    routing: devices.routingView(linkOnline),
    callDevice: (deviceId, call, args, options) => room.callDevice(deviceId, call, args, options),
    noteSession: (sessionId, deviceId, uid) =>
      tables.shellSessions.put(sessionId, { sessionId, deviceId, uid, createdAt: clock.now() }),
    handlers: nativeHandlers({
      ...world,
      room,
      replication,
      vault,
      processes,
      homes,
      views,
      status,
      notifications,
      membership,
      replicas,
      documents,
      blobs,
      onlyHere: () => replication.waiting + blobs.waiting,
      erase: ports.erase,
      founding,
      backup: {
        documents,
        tables,
        clock,
        random,
        vault,
        blobs,
        readBlob: (hash) => blobs.get(hash),
        joined: () => room.state.kind !== 'alone',
        roomAway: () => room.state.kind !== 'alone' && !room.online,
        founding,
      },
      flush,
    }),
  });

  const lockout = new Lockout(clock);
  const connectionParts = {
    dispatcher,
    clock,
    setupMode: () => inSetupMode(tables),
    authenticate: (args: Parameters<typeof authenticate>[1]) =>
      authenticate({ tables, vault, clock, lockout, locked: () => lock.locked }, args),
    onClosed: (id: string) => views.drop(id),
  };
  tables.tokens.observe(() => connections.closeRevoked(tables.tokens, clock.now()));

  await room.start();
  await membership.resume();
  await processes.resumeAll();
  replicas.observe(() => {
    if (!replicas.othersOnline) processes.nobodyElse();
  });
  const seat = new Seat({ tables, processes, work: openWork, leases, clock });
  homes.refresh(tables.users.rows());

  return {
    attach: (link) => connections.add(random.uuid(), link, connectionParts),
    retryRoom: () => room.retryNow(),
    stop: async () => {
      seat.stop();
      processes.stop();
      leases.stop();
      room.stop();
      replication.stop();
      blobs.stop();
      connections.closeAll('kernel stopped');
      await ports.docs.close();
    },
  };
}
