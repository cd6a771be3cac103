import { GSV_VERSION } from '../protocol/version.ts';
import type { NativeSyscall } from './dispatch.ts';
import { fsHandlers } from './fs/handlers.ts';
import type { Handlers } from './handler.ts';
import type { Vault } from './ports/vault.ts';
import { procHandlers } from './proc/handlers.ts';
import { type ProcessWorld, syscallsFor } from './proc/process-parts.ts';
import type { Processes } from './proc/processes.ts';
import { shellHandler } from './shell/shell.ts';
import { joinHandler } from './sync/membership.ts';
import type { RoomLink } from './sync/room-link.ts';
import { aiHandlers } from './sys/ai.ts';
import { configHandlers } from './sys/config.ts';
import { deviceHandlers } from './sys/devices.ts';
import type { Homes } from './sys/homes.ts';
import { setupHandler } from './sys/setup.ts';
import type { Status } from './sys/status.ts';
import { tokenHandlers } from './sys/tokens.ts';
import type { Views } from './views/views.ts';

export type NativeParts = ProcessWorld & {
  vault: Vault;
  processes: Processes;
  homes: Homes;
  views: Views;
  status: Status;
  room: RoomLink;
  replicaId: string;
  platform: string;
  flush(): Promise<void>;
};

/** Everything that this kernel answers itself: the compiler names a syscall that has no handler here. */
export function nativeHandlers(parts: NativeParts): Handlers<NativeSyscall> {
  const { config, fs, homes, tables, flush } = parts;
  return {
    ...fsHandlers(fs),
    ...configHandlers(config),
    ...deviceHandlers(tables, flush),
    ...tokenHandlers(parts),
    ...setupHandler({ ...parts, seedHome: (user) => homes.make(user) }),
    ...procHandlers({ ...parts, maxPerUser: () => Number(config.resolve(0, 'process/max_per_user')) || 0 }),
    ...aiHandlers({ ...parts, linkOnline: () => parts.room.online }),
    ...parts.views.handlers(),
    ...parts.status.handlers(),
    ...joinHandler(parts),
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
