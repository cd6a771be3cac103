import type { SystemTables } from '../../state/system.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { keyed, type Source } from './source.ts';

export type ProcessesSourceParts = { tables: SystemTables; processes: Processes };

/** The processes that the caller may see, each with what it is doing. */
export function processesSource({ tables, processes }: ProcessesSourceParts, caller: Caller): Source {
  let asked = askedBy(tables);
  const read = (pid: string): ViewRow['value'] | undefined => {
    const row = processes.row(pid);
    const visible = row && (caller.identity.uid === 0 || row.uid === caller.identity.uid);
    if (!visible) return undefined;
    const waitsFor = asked.get(pid);
    return { ...row, activity: processes.activity(pid), ...(waitsFor ? { waitsFor } : {}) };
  };
  return keyed(
    () => tables.processes.keys(),
    read,
    (changed) => {
      const stopRows = processes.observe(changed);
      const stopCalls = tables.ipcCalls.observe(() => {
        const before = asked;
        asked = askedBy(tables);
        changed([...before.keys(), ...asked.keys()]);
      });
      const stopActivity = processes.onActivity((pid) => changed([pid]));
      return () => {
        stopRows();
        stopCalls();
        stopActivity();
      };
    },
  );
}

/** Whom each process that has asked others waits for. */
function askedBy({ ipcCalls }: SystemTables): Map<string, string[]> {
  const asked = new Map<string, string[]>();
  for (const { sourcePid, pid } of ipcCalls.rows())
    asked.set(sourcePid, [...(asked.get(sourcePid) ?? []), pid]);
  return asked;
}
