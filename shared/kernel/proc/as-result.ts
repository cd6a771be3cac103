import { SyscallError } from '../../protocol/errors.ts';
import type { OperationError } from '../../syscalls/declare.ts';

/** Errors of a process as results of its syscalls, not of the frame (spec/routing, "Failure Behavior"). */
export async function asResult<T>(step: () => Promise<T>): Promise<T | OperationError> {
  try {
    return await step();
  } catch (thrown) {
    if (thrown instanceof SyscallError) return { ok: false, error: thrown.message };
    throw thrown;
  }
}
