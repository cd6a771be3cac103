import type { Link } from '../protocol/link.ts';
import { GSV_VERSION } from '../protocol/version.ts';
import { FS_DOC, SYSTEM_DOC, systemTables } from '../state/system.ts';
import type { Clock } from '../std/clock.ts';
import type { Random } from '../std/random.ts';
import { authenticate } from './auth/authenticate.ts';
import { Lockout } from './auth/lockout.ts';
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
import { OpenWork, WORK_DOC } from './proc/open-work.ts';
import { type ProcessWorld, processParts } from './proc/process-parts.ts';
import { Processes } from './proc/processes.ts';
import { Devices } from './sync/devices.ts';
import { ensureReplicaId } from './sync/membership.ts';
import { RoomLink } from './sync/room-link.ts';
import { Config } from './sys/config.ts';
import { Homes } from './sys/homes.ts';
import { inSetupMode } from './sys/setup.ts';
import { Status } from './sys/status.ts';
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
};

export type Kernel = {
  /** Takes one page's link; the kernel closes it. */
  attach(link: Link): void;
  /** Tries to reach the room now, instead of waiting out the back-off. */
  retryRoom(): void;
  /** Closes every link and the storage. */
  stop(): Promise<void>;
};

/** Starts the kernel from what is on disk: the composition root. Rejects when storage cannot be read. */
export async function bootKernel(ports: KernelPorts): Promise<Kernel> {
  const { clock, random, vault, models, dialer, blobs, platform } = ports;
  const documents = new Documents(ports.docs);
  const flush = (): Promise<void> => documents.flush();
  const [system, files, work] = await Promise.all([
    documents.open(SYSTEM_DOC),
    documents.open(FS_DOC),
    documents.open(WORK_DOC),
  ]);
  const replicaId = await ensureReplicaId(vault, random);

  const tables = systemTables(system);
  const config = new Config(tables, vault, flush);
  const startedAt = clock.now();
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
  });
  const homes = new Homes(fs, ports.skills);

  const connections = new Connections();
  const devices = new Devices(tables, clock, (uid, payload) =>
    connections.broadcast(uid, 'device.status', payload),
  );
  const room = new RoomLink({
    dialer,
    vault,
    clock,
    random,
    replicaId,
    platform,
    system,
    onDevice: (payload) => devices.onStatus(payload),
    onChange: () => {
      devices.onLink(room.state.kind);
      status.changed();
    },
  });
  const status = new Status(tables, room);

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
    broadcast: (uid, signal, payload) => connections.broadcast(uid, signal, payload),
  };
  const processes = new Processes({
    tables,
    documents,
    work: new OpenWork(work),
    partsFor: (row) => processParts(world, row),
  });
  const linkOnline = (): boolean => room.online;
  const send = (id: string, payload: Record<string, unknown>): void =>
    connections.signal(id, 'view.patch', payload);
  const views = new Views({ tables, processes, clock, random, status, linkOnline, send });
  const joined = { room, replicaId, platform };

  const dispatcher = new Dispatcher({
    clock,
    routing: devices.routingView(linkOnline),
    callDevice: (deviceId, call, args, options) => room.callDevice(deviceId, call, args, options),
    noteSession: (sessionId, deviceId, uid) =>
      tables.shellSessions.put(sessionId, { sessionId, deviceId, uid, createdAt: clock.now() }),
    handlers: nativeHandlers({ ...world, ...joined, vault, processes, homes, views, status, flush }),
  });

  const lockout = new Lockout(clock);
  const connectionParts = {
    dispatcher,
    clock,
    setupMode: () => inSetupMode(tables),
    authenticate: (args: Parameters<typeof authenticate>[1]) =>
      authenticate({ tables, vault, clock, lockout }, args),
    onClosed: (id: string) => views.drop(id),
  };
  tables.tokens.observe(() => connections.closeRevoked(tables.tokens, clock.now()));

  await room.start();
  await processes.resumeAll();
  homes.refresh(tables.users.rows());

  return {
    attach: (link) => connections.add(random.uuid(), link, connectionParts),
    retryRoom: () => room.retryNow(),
    stop: async () => {
      room.stop();
      connections.closeAll('kernel stopped');
      await ports.docs.close();
    },
  };
}
