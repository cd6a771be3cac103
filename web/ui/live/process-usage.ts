import { createResource, onCleanup } from 'solid-js';
import type { Gsv } from '../../client/gsv.ts';
import { byProcess, type Spent } from './usage.ts';

/** As far back as it is kept. */
const DAYS = 400;

/** What each process has used so far, read anew when a run ends. */
export function createProcessUsage(gsv: Gsv): (pid: string) => Spent | undefined {
  const [used, { refetch }] = createResource(async () => {
    const answer = await gsv.call('proc.usage', { days: DAYS }).catch(() => null);
    return new Map(byProcess(answer?.rows ?? []).map((group) => [group.key, group]));
  });
  onCleanup(
    gsv.onSignal((signal) => {
      if (signal === 'proc.run.finished') void refetch();
    }),
  );
  return (pid) => used.latest?.get(pid);
}
