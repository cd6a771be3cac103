import type { SystemTables } from '../../state/system.ts';
import type { ViewRow } from '../../syscalls/view.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { keyed, type Source } from './source.ts';

export type ProcessesSourceParts = { tables: SystemTables; processes: Processes };

/** The processes that the caller may see, each with what it is doing. */
export function processesSource({ tables, processes }: ProcessesSourceParts, caller: Caller): Source {
  const read = (pid: string): ViewRow['value'] | undefined => {
    const row = processes.row(pid);
    const visible = row && (caller.identity.uid === 0 || row.uid === caller.identity.uid);
    return visible ? { ...row, activity: processes.activity(pid) } : undefined;
  };
  return keyed(
    () => tables.processes.keys(),
    read,
    (changed) => {
      const stopRows = tables.processes.observe((keys) => changed([...keys]));
      const stopActivity = processes.onActivity((pid) => changed([pid]));
      return () => {
        stopRows();
        stopActivity();
      };
    },
  );
}
