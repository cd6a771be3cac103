import { CONTROL_DOC } from '../../state/control.ts';
import { keepControlApart } from '../../state/control-moves.ts';
import { EPOCHS_DOC } from '../../state/seal.ts';
import { FS_DOC, SYSTEM_DOC, systemTables } from '../../state/system.ts';
import { upgradeGroups } from '../auth/accounts.ts';
import { Passwords } from '../auth/passwords.ts';
import { ReplicaLock } from '../auth/replica-lock.ts';
import { Connections } from '../connections.ts';
import { Documents } from '../documents.ts';
import { createFileSystem } from '../fs/create-file-system.ts';
import type { Space } from '../ports/doc-store.ts';
import type { KernelPorts } from '../ports/kernel-ports.ts';
import { OpenWork, WORK_DOC } from '../proc/open-work.ts';
import { ProcessStates } from '../proc/process-states.ts';
import { Keys } from '../seal/keys.ts';
import { ToldSecrets } from '../seal/told-secrets.ts';
import { Signals } from '../signals.ts';
import { BlobSync } from '../sync/blob-sync.ts';
import { Replica } from '../sync/replica.ts';
import { Replication } from '../sync/replication.ts';
import { Sealing } from '../sync/sealing.ts';
import { Attention } from '../sys/attention.ts';
import { Config } from '../sys/config.ts';
import { tellOfConflict } from '../sys/file-notices.ts';
import { Homes } from '../sys/homes.ts';
import { Notifications } from '../sys/notifications.ts';
import { tellOfFault } from '../sys/server-notices.ts';
import { TellingVault } from '../telling-vault.ts';

/** Everything that stands on this replica's disk, opened; and the pages that look at it. */
export type LocalState = Awaited<ReturnType<typeof openLocalState>>;

/** Opens what is on disk. Rejects when it cannot be read. */
export async function openLocalState(ports: KernelPorts) {
  const { clock, random } = ports;
  const vault = new TellingVault(ports.vault);
  const documents = new Documents(ports.docs);
  const replica = await Replica.load(vault, random);
  const keys = await Keys.load(vault);
  const sealing = await Sealing.open(documents, { keys, replicaId: replica.id, random, clock });
  const replication = await Replication.open(documents, clock, sealing);
  const flush = (space?: Space): Promise<void> => documents.flush(space);
  const [control, system, epochs, files, work] = await Promise.all(
    [CONTROL_DOC, SYSTEM_DOC, EPOCHS_DOC, FS_DOC, WORK_DOC].map((name) => documents.open(name)),
  );
  if (!control || !system || !epochs || !files || !work) throw new Error('A document did not open');
  const blobs = await BlobSync.load({
    store: ports.blobs,
    outbox: replication.outbox,
    clock,
    ready: (signal) => replication.synced(FS_DOC, signal),
    keys,
  });
  documents.alsoFreedBy(() => blobs.makeRoom());
  keepControlApart({ system, control });
  const tables = systemTables({ system, control, epochs });
  sealing.follow(tables);
  const secrets = new ToldSecrets({ tables, vault, documents, keys });
  const passwords = new Passwords({ vault: secrets, random, cost: ports.passwordCost });
  const config = new Config(tables, secrets, documents);
  upgradeGroups(tables);
  const connections = new Connections();
  const signals = new Signals();
  const broadcast = (uid: number, signal: string, payload: Record<string, unknown>): void => {
    connections.broadcast(uid, signal, payload);
    signals.tell({ uid, signal, payload });
  };
  const attention = new Attention();
  const notifications = new Notifications({ tables, clock, random, broadcast, flush, attention });
  for (const { faults } of [replication, blobs])
    faults.onHealed((fault) => tellOfFault(notifications, fault));
  const startedAt = clock.now();
  const processStates = new ProcessStates(tables, replica);
  const fs = createFileSystem({
    doc: files,
    blobs,
    tables,
    config,
    keys,
    clock,
    random,
    flush,
    startedAt,
    writer: () => replica.index,
    onConflict: (conflict) => tellOfConflict(notifications, conflict),
  });
  return {
    vault,
    passwords,
    documents,
    keys,
    sealedLogs: sealing,
    replication,
    flush,
    replica,
    blobs,
    tables,
    processStates,
    config,
    secrets,
    connections,
    broadcast,
    signals,
    notifications,
    attention,
    fs,
    startedAt,
    homes: new Homes(fs, ports.skills),
    openWork: new OpenWork(work),
    lock: await ReplicaLock.load(vault, clock, () => connections.closeAll('this browser was shut out')),
  };
}
