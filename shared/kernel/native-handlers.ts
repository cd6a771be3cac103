import { GSV_VERSION } from '../protocol/version.ts';
import { CONTROL_DOC } from '../state/control.ts';
import { matches } from '../std/matches.ts';
import { InputMode } from '../syscalls/proc.ts';
import type { Passwords } from './auth/passwords.ts';
import { copiesHandlers } from './backup/copies.ts';
import type { Founding } from './backup/founding.ts';
import { type BackupParts, backupHandlers } from './backup/handlers.ts';
import type { IpcSide } from './boot/ipc-side.ts';
import { usageHandlers } from './budget/handlers.ts';
import type { NativeSyscall } from './dispatch.ts';
import { fsHandlers } from './fs/handlers.ts';
import type { Handlers } from './handler.ts';
import { delegateHandler } from './ipc/delegate.ts';
import { ipcHandlers } from './ipc/handlers.ts';
import { watchHandlers } from './ipc/watch-handlers.ts';
import { mediaHandlers } from './media/handlers.ts';
import type { Copies } from './ports/copies.ts';
import type { Space } from './ports/doc-store.ts';
import type { ModelStore } from './ports/model-store.ts';
import type { Vault } from './ports/vault.ts';
import { compactionHandlers } from './proc/compaction-handlers.ts';
import { conversationHandlers } from './proc/conversation-handlers.ts';
import { procHandlers } from './proc/handlers.ts';
import { type ProcessWorld, syscallsFor } from './proc/process-parts.ts';
import type { Processes } from './proc/processes.ts';
import { searchHandlers } from './proc/search-handlers.ts';
import type { SearchIndex } from './proc/search-index.ts';
import { spawnLimits } from './proc/spawn.ts';
import { workspaceHandler } from './proc/workspaces.ts';
import { type SchedParts, schedHandlers } from './sched/handlers.ts';
import { type SealParts, sealHandlers } from './seal/handlers.ts';
import type { Keys } from './seal/keys.ts';
import { shellHandler } from './shell/shell.ts';
import { inviteHandler } from './sync/invites.ts';
import type { Membership } from './sync/membership.ts';
import type { Replica } from './sync/replica.ts';
import type { Replicas } from './sync/replicas.ts';
import type { Replication } from './sync/replication.ts';
import type { RoomLink } from './sync/room-link.ts';
import type { Sealing } from './sync/sealing.ts';
import { aiHandlers } from './sys/ai.ts';
import type { Attention } from './sys/attention.ts';
import { configHandlers } from './sys/config.ts';
import { deviceHandlers } from './sys/devices.ts';
import { type DiskParts, diskHandlers } from './sys/disk.ts';
import type { Homes } from './sys/homes.ts';
import { localModelHandlers } from './sys/local-models.ts';
import type { Notifications } from './sys/notifications.ts';
import { passwordHandler } from './sys/password.ts';
import { pushHandlers } from './sys/push.ts';
import { setupHandler } from './sys/setup.ts';
import type { Status } from './sys/status.ts';
import { type StorageParts, storageHandlers } from './sys/storage.ts';
import { tokenHandlers } from './sys/tokens.ts';
import type { Views } from './views/views.ts';

export type NativeParts = ProcessWorld &
  StorageParts &
  DiskParts &
  SealParts & {
    vault: Vault;
    secrets: Vault;
    passwords: Passwords;
    keys: Keys;
    processes: Processes;
    sched: SchedParts;
    homes: Homes;
    views: Views;
    searchIndex: SearchIndex;
    ipc: IpcSide;
    replica: Replica;
    status: Status;
    notifications: Notifications;
    attention: Attention;
    room: RoomLink;
    replication: Replication;
    membership: Membership;
    sealedLogs: Sealing;
    replicas: Replicas;
    founding: Founding;
    backup: BackupParts;
    modelStore: ModelStore | undefined;
    copies: Copies | undefined;
    flush(space?: Space): Promise<void>;
  };

/** Everything that this kernel answers itself: the compiler names a syscall that has no handler here. */
export function nativeHandlers(parts: NativeParts): Handlers<NativeSyscall> {
  const { config, fs, homes, ipc } = parts;
  const limits = () => spawnLimits(config);
  const proc = {
    ...parts,
    limits,
    inputMode: (uid: number) => inputMode(config.resolve(uid, 'ai/input_mode')),
  };
  const told = { ...parts, ...ipc, limits, self: parts.replica.id };
  return {
    ...fsHandlers(fs),
    ...configHandlers(config),
    ...deviceHandlers(parts),
    ...tokenHandlers(parts),
    ...setupHandler({ ...parts, seedHome: (user) => homes.make(user) }),
    ...procHandlers(proc),
    ...conversationHandlers(proc),
    ...compactionHandlers(proc),
    ...searchHandlers(proc),
    ...usageHandlers(parts, proc),
    ...workspaceHandler(parts),
    ...ipcHandlers(told),
    ...watchHandlers(told),
    ...delegateHandler({
      ...told,
      end: async (caller, pid) => {
        await syscallsFor(parts.dispatcher, caller).call('proc.kill', { pid });
      },
    }),
    ...schedHandlers(parts.sched),
    ...mediaHandlers(proc),
    ...aiHandlers({ ...parts, linkOnline: () => parts.room.online }),
    ...localModelHandlers(parts),
    ...parts.views.handlers(),
    ...parts.status.handlers(),
    ...parts.notifications.handlers(),
    ...parts.attention.handlers(),
    ...pushHandlers(parts),
    ...sealHandlers(parts),
    ...parts.membership.handlers(),
    ...parts.replicas.handlers(),
    ...storageHandlers(parts),
    ...backupHandlers(parts.backup),
    ...diskHandlers(parts),
    ...passwordHandler(parts),
    ...copiesHandlers({ ...parts, ...parts.backup }),
    'sys.reconnect': async () => {
      parts.room.retryNow();
      return { ok: true };
    },
    ...inviteHandler({
      ...parts,
      places: parts.sealedLogs.places,
      linkOnline: () => parts.room.online,
      stored: () => parts.replication.stored([CONTROL_DOC]),
    }),
    'shell.exec': shellHandler({
      fs,
      syscallsFor: (caller) => syscallsFor(parts.dispatcher, caller),
      hostname: () => config.resolve(0, 'server/name') ?? 'gsv',
      timezone: () => config.resolve(0, 'server/timezone') ?? 'UTC',
      version: GSV_VERSION,
      clock: parts.clock,
    }),
  };
}

/** As the setting says; what it cannot mean is the default. */
function inputMode(value: string | undefined): InputMode {
  return matches(InputMode, value) ? value : 'steer';
}
