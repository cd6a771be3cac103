import { covers } from '../../syscalls/gate.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import type { Caller } from '../handler.ts';

/**
 * On whose behalf files are touched. Relative paths start at `cwd`, `~` is `home`, `/proc/self` is `pid`. Views that show
 * what a syscall answers ask for its capability; without a list nothing is withheld.
 */
export type Credentials = Pick<ProcessIdentity, 'uid' | 'gid' | 'gids' | 'home' | 'cwd'> & {
  pid?: string;
  capabilities?: readonly string[];
  /** The kernel makes the same files by itself on every replica: made apart, each is one file. */
  onEveryReplica?: boolean;
};

/** The kernel itself. */
export const ROOT: Credentials = { uid: 0, gid: 0, gids: [0], home: '/root', cwd: '/' };

/** Whether what a syscall answers may be shown to them. */
export function mayCall({ capabilities }: Credentials, call: SyscallName): boolean {
  return capabilities === undefined || covers(capabilities, call);
}

export function credentialsOf(caller: Caller): Credentials {
  const { uid, gid, gids, home, cwd } = caller.identity;
  const pid = caller.origin.kind === 'process' ? { pid: caller.origin.pid } : {};
  return { uid, gid, gids, home, cwd, ...pid, capabilities: caller.capabilities };
}
