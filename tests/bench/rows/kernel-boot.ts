import { Profile } from '../profile.ts';
import { paired, type Row, rowOf } from '../row.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 11;
const MANY = 1000;
const FEW = 10;

/** A kernel's start until its tab is signed in, with many conversations against few. */
export async function kernelBoot(site: BenchSite): Promise<Row[]> {
  const [many, few] = await Promise.all([withProcesses(site, MANY), withProcesses(site, FEW)]);
  try {
    const pairs = await paired(
      RUNS,
      () => many.restart(),
      () => few.restart(),
      2,
    );
    const described = {
      name: `kernel boot, ${MANY} conversations`,
      peer: `the same with ${FEW} conversations`,
    };
    return [rowOf({ ...described, unit: 'ms', budget: 1.5 }, pairs)];
  } finally {
    await Promise.all([many.stop(), few.stop()]);
  }
}

async function withProcesses(site: BenchSite, count: number): Promise<Profile> {
  const profile = await Profile.setUp(site);
  await profile.open();
  await profile.run('seedProcesses', count);
  return profile;
}
