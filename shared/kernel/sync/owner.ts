import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { FIRST_UID, ROOT_UID } from '../auth/accounts.ts';

/** Whoever set the GSV up, and root, decide which browsers hold it: each holds everything. Throws 403 for others. */
export function demandOwner({ uid }: Pick<ProcessIdentity, 'uid'>): void {
  if (uid !== ROOT_UID && uid !== FIRST_UID)
    throw new SyscallError(403, 'Only the owner of this GSV decides about its browsers');
}
