import { SyscallError } from '../../protocol/errors.ts';

/** Why a file is refused, for a person. */
export function damaged(why: string): SyscallError {
  return new SyscallError(400, `This file cannot be imported: ${why}. Nothing was changed.`);
}
