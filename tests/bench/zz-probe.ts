import { Profile } from './profile.ts';
import { BenchSite } from './site.ts';
export async function main() {
  const site = await BenchSite.start();
  for (const count of [100, 10000]) {
    const profile = await Profile.setUp(site);
    const pid = await profile.run('spawn');
    await profile.open();
    await profile.run('seedMessages', pid, count, 1200);
    for (let i = 0; i < 4; i++) {
      await profile.open();
      const p = (profile as any).context().pages().at(-1);
      await p.addScriptTag({ url: '/bench/zz-probe-page.js', type: 'module' });
      await p.waitForFunction(() => 'probe' in globalThis);
      console.log(count, await p.evaluate((pid: string) => (globalThis as any).probe(pid), pid));
    }
    await profile.stop();
  }
  await site.stop();
}
