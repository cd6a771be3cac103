import { Profile } from './profile.ts';
import { BenchSite } from './site.ts';
export async function main() {
  const site = await BenchSite.start();
  for (const count of [100, 10000]) {
    const profile = await Profile.setUp(site);
    const pid = await profile.run('spawn');
    await profile.open();
    await profile.run('seedMessages', pid, count, 1200);
    for (let i = 0; i < 3; i++) {
      await profile.open();
      const page = (profile as any).page_ ?? null;
      const p = (profile as any).context().pages().at(-1);
      console.log(count, await p.evaluate(async ({ pid, seg }: any) => {
        const db: IDBDatabase = await new Promise((res) => { const r = indexedDB.open('gsv'); r.onsuccess = () => res(r.result); });
        const t = (n: string) => db.transaction(n, 'readonly').objectStore(n);
        const out: any = {};
        const pre = `conv/${pid}/default/`;
        const wait = (r: IDBRequest) => new Promise<any>((res, rej) => { r.onsuccess = () => res(r.result); r.onerror = () => rej(r.error); });
        let t0 = performance.now();
        await wait(t('updates').index('doc').getAll(IDBKeyRange.only(pre + 'state')));
        out.state = performance.now() - t0; t0 = performance.now();
        let n = 0;
        await new Promise<void>((res) => { const r = t('updates').index('doc').openKeyCursor(IDBKeyRange.bound(pre + 'g0/', pre + 'g0/\uffff'), 'nextunique'); r.onsuccess = () => { const c = r.result; if (!c) return res(); n++; c.continue(); }; });
        out.namesUnique = performance.now() - t0; out.n = n; t0 = performance.now();
        await new Promise<void>((res) => { const r = t('updates').index('doc').openKeyCursor(IDBKeyRange.bound(pre + 'g0/', pre + 'g0/\uffff'), 'prevunique'); r.onsuccess = () => { res(); }; });
        out.last = performance.now() - t0; t0 = performance.now();
        const rows = await wait(t('updates').index('doc').getAll(IDBKeyRange.only(pre + 'g0/' + seg)));
        out.segment = performance.now() - t0; out.rows = rows.length; t0 = performance.now();
        db.close();
        return JSON.stringify(out);
      }, { pid, seg: count === 100 ? '000000' : '000049' }));
    }
    await profile.stop();
  }
  await site.stop();
}
