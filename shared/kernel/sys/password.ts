import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import { FIRST_UID } from '../auth/accounts.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { Handlers } from '../handler.ts';
import type { DiskLock } from '../ports/disk-lock.ts';
import type { Keys } from '../seal/keys.ts';

export type PasswordParts = {
  passwords: Passwords;
  diskLock: DiskLock | undefined;
  keys: Pick<Keys, 'keyring'>;
};

/** Throws 403 on a password that is not this user's. */
export async function demandPassword(
  passwords: Pick<Passwords, 'fits'>,
  { uid }: ProcessIdentity,
  password: string,
): Promise<void> {
  if (!(await passwords.fits(uid, password))) throw new SyscallError(403, 'That is not your password.');
}

/** `sys.password.change`. After a kill in between the disk opens by the new password, and the old one begins again. */
export function passwordHandler({
  passwords,
  diskLock,
  keys,
}: PasswordParts): Handlers<'sys.password.change'> {
  return {
    'sys.password.change': async ({ password, next }, { caller }) => {
      const { identity } = caller;
      await demandPassword(passwords, identity, password);
      const lock = diskLock?.state;
      if (lock?.password && identity.uid === FIRST_UID) await diskLock?.protect(next, lock.afterMinutes);
      await passwords.put(identity.uid, next);
      return { everywhere: keys.keyring !== null };
    },
  };
}
