import type { OperationError } from '../../shared/syscalls/declare.ts';
import { type SyscallName, table } from '../../shared/syscalls/table.ts';

/** What the owner of this machine lets callers do, whatever the kernel permits. */
export type Policy = { readonly readOnly: boolean };

/** Why this machine refuses a call, or undefined. A command could write, so a read-only machine runs none. */
export function refusal(policy: Policy, call: SyscallName): OperationError | undefined {
  if (!policy.readOnly || table[call].effect === 'read') return undefined;
  return {
    ok: false,
    error: `This machine is read-only: its driver was started with --read-only, so ${call} is refused`,
  };
}
