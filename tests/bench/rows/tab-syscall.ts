import { Profile } from '../profile.ts';
import { paired, type Row, rowOf } from '../row.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 9;
const CALLS = 300;

/** One kernel syscall from a tab, against a bare Comlink echo in the same kind of SharedWorker. */
export async function tabSyscall(site: BenchSite): Promise<Row[]> {
  const profile = await Profile.setUp(site);
  try {
    const pairs = await paired(
      RUNS,
      () => profile.run('syscalls', CALLS),
      () => profile.run('echoes', CALLS),
      2,
    );
    const described = { name: 'tab syscall, p50', peer: 'Comlink 4.4.2 echo in a SharedWorker' };
    return [rowOf({ ...described, unit: 'ms', budget: 1.5 }, pairs)];
  } finally {
    await profile.stop();
  }
}
