import type { SystemTables } from '../../state/system.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';
import type { Caller } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { keyed, type Source } from './source.ts';

export type ProcessesSourceParts = { tables: SystemTables; processes: Processes };

/** The processes that the caller may see, each with what it is doing. */
export function processesSource({ tables, processes }: ProcessesSourceParts, caller: Caller): Source {
  const calls = () => tables.ipcCalls.rows();
  const whoWaits = (): string[] => calls().map(({ sourcePid }) => sourcePid);
  let waiting = whoWaits();
  const read = (pid: string): ViewRow['value'] | undefined => {
    const row = processes.row(pid);
    const visible = row && (caller.identity.uid === 0 || row.uid === caller.identity.uid);
    if (!visible) return undefined;
    const waitsFor = calls().flatMap((call) => (call.sourcePid === pid ? [call.pid] : []));
    const asked = waitsFor.length > 0 ? { waitsFor } : {};
    return { ...row, activity: processes.activity(pid), ...asked };
  };
  return keyed(
    () => tables.processes.keys(),
    read,
    (changed) => {
      const stopRows = processes.observe(changed);
      const stopCalls = tables.ipcCalls.observe(() => {
        const before = waiting;
        waiting = whoWaits();
        changed([...before, ...waiting]);
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
