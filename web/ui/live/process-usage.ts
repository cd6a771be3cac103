import { onCleanup } from 'solid-js';
import type { Gsv } from '../../client/gsv.ts';
import { createAsked } from '../parts/asked.ts';
import { byProcess, type Spent } from './usage.ts';

/** As far back as it is kept. */
const DAYS = 400;

/** What each process has used so far, read anew when a run ends. */
export function createProcessUsage(gsv: Gsv): (pid: string) => Spent | undefined {
  const used = createAsked(async () => {
    const { rows } = await gsv.call('proc.usage', { days: DAYS });
    return new Map(byProcess(rows).map((group) => [group.key, group]));
  });
  onCleanup(
    gsv.onSignal((signal) => {
      if (signal === 'proc.run.finished') void used.again();
    }),
  );
  return (pid) => used.latest()?.get(pid);
}
