import { Profile } from '../profile.ts';
import { paired, type Row, rowOf } from '../row.ts';
import type { BenchSite } from '../site.ts';

const BOOTS = 11;
const TICKS = 9;
/** One account has a thousand at most, that which fires included. */
const MANY = 999;
const FEW = 10;

/** A kernel's start, and a fire of one schedule, with many schedules against few. */
export async function schedules(site: BenchSite): Promise<Row[]> {
  const [many, few] = await Promise.all([withSchedules(site, MANY), withSchedules(site, FEW)]);
  try {
    const boots = await paired(
      BOOTS,
      () => many.restart(),
      () => few.restart(),
      2,
    );
    const ticks = await paired(
      TICKS,
      () => many.run('tick'),
      () => few.run('tick'),
      1,
    );
    const peer = `the same with ${FEW} schedules`;
    return [
      rowOf({ name: `kernel boot, ${MANY} schedules`, peer, unit: 'ms', budget: 1.5 }, boots),
      rowOf({ name: `a fire of one of ${MANY} schedules`, peer, unit: 'ms', budget: 1.5 }, ticks),
    ];
  } finally {
    await Promise.all([many.stop(), few.stop()]);
  }
}

async function withSchedules(site: BenchSite, count: number): Promise<Profile> {
  const profile = await Profile.setUp(site);
  await profile.open();
  await profile.run('seedSchedules', count);
  return profile;
}
