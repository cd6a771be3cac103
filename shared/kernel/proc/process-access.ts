import type { ProcessRow } from '../../state/system.ts';
import type { OperationError } from '../../syscalls/declare.ts';
import type { Caller } from '../handler.ts';
import { archive, type Kept } from './archive.ts';
import { asResult } from './as-result.ts';
import { segmentId } from './compaction.ts';
import type { Dialogue } from './dialogue.ts';
import type { ProcHandlerParts } from './handlers.ts';
import type { Process } from './process.ts';
import { ensureInit, initPid } from './spawn.ts';

/** Which conversation of which process is meant; without a pid the caller's lasting one. */
export type About = { pid?: string | undefined; conversationId?: string | undefined };

/** The ways of a syscall to the process that it is about, if its caller may use it. */
export function processAccess(parts: ProcHandlerParts) {
  const { processes } = parts;
  const find = (caller: Caller, pid = initPid(caller.identity.uid)): ProcessRow => {
    if (pid === initPid(caller.identity.uid)) return ensureInit(parts, caller.identity);
    return processes.demand(pid, caller.identity);
  };
  const withProcess = <T>(
    caller: Caller,
    pid: string | undefined,
    step: (process: Process, row: ProcessRow) => Promise<T>,
  ): Promise<T | OperationError> =>
    asResult(async () => {
      const row = find(caller, pid);
      return step(processes.process(row), row);
    });
  const inDialogue = <T>(
    caller: Caller,
    { pid, conversationId }: About,
    step: (dialogue: Dialogue, row: ProcessRow) => Promise<T>,
  ): Promise<T | OperationError> =>
    asResult(async () => {
      const row = find(caller, pid);
      return step(await processes.open(row, conversationId), row);
    });
  return { find, withProcess, inDialogue };
}

/** Archives the conversations of a process, each in turn, into one directory; or keeps nothing. */
export function keepWith(parts: ProcHandlerParts) {
  return (row: ProcessRow, wanted: boolean): ((dialogue: Dialogue) => Promise<Kept | null>) => {
    const id = segmentId(parts.clock.now(), parts.random);
    return async (dialogue) => (wanted ? archive(parts.fs, row, dialogue, id) : null);
  };
}
