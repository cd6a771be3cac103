import { SyscallError } from '../../protocol/errors.ts';
import type { SystemTables } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { SignalName } from '../../syscalls/table.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { Handlers } from '../handler.ts';
import type { DiskLock } from '../ports/disk-lock.ts';
import { demandOwner } from '../sync/owner.ts';
import type { IdleLock } from './idle-lock.ts';
import { demandPassword } from './password.ts';

type DiskSyscall =
  | 'sys.disk.get'
  | 'sys.disk.protect'
  | 'sys.disk.after'
  | 'sys.disk.unprotect'
  | 'sys.disk.lock'
  | 'sys.disk.used';

export type DiskParts = {
  /** Undefined on a host that cannot lock what it stores. */
  diskLock: DiskLock | undefined;
  idle: IdleLock | undefined;
  passwords: Pick<Passwords, 'fits'>;
  tables: Pick<SystemTables, 'users'>;
  broadcast(uid: number, signal: SignalName, payload: Record<string, unknown>): void;
};

/** `sys.disk`: what this browser stores opens by the owner's password alone, where the owner wants it so. */
export function diskHandlers(parts: DiskParts): Handlers<DiskSyscall> {
  const { diskLock, idle, passwords } = parts;
  const lockOf = (identity: ProcessIdentity): DiskLock => {
    demandOwner(identity);
    if (!diskLock) throw new SyscallError(400, 'What is stored here cannot be locked');
    return diskLock;
  };
  const protectedLock = (identity: ProcessIdentity): DiskLock => {
    const lock = lockOf(identity);
    if (!lock.state.password) throw new SyscallError(409, 'This browser asks for no password');
    return lock;
  };
  const changed = (): Record<string, never> => {
    for (const { uid } of parts.tables.users.rows()) parts.broadcast(uid, 'sys.disk.changed', {});
    return {};
  };
  return {
    'sys.disk.get': async () => {
      const state = diskLock?.state ?? { password: false };
      const afterMinutes = state.password ? state.afterMinutes : null;
      return { available: diskLock !== undefined, password: state.password, afterMinutes };
    },
    'sys.disk.protect': async ({ password, afterMinutes }, { caller }) => {
      const lock = lockOf(caller.identity);
      await demandPassword(passwords, caller.identity, password);
      idle?.used();
      await lock.protect(password, afterMinutes);
      return changed();
    },
    'sys.disk.after': async ({ afterMinutes }, { caller }) => {
      idle?.used();
      await protectedLock(caller.identity).lockAfter(afterMinutes);
      return changed();
    },
    'sys.disk.unprotect': async ({ password }, { caller }) => {
      const lock = protectedLock(caller.identity);
      await demandPassword(passwords, caller.identity, password);
      await lock.unprotect();
      return changed();
    },
    'sys.disk.lock': async (_args, { caller }) => {
      await protectedLock(caller.identity).lock();
      return {};
    },
    'sys.disk.used': async () => {
      idle?.used();
      return {};
    },
  };
}
