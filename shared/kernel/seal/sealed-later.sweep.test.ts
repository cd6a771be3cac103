import { expect, test } from 'vitest';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';

/** Two browsers of a GSV in the clear, and something that each has written. */
async function inTheClear() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: false });
  const second = await gsv.invited(founder);
  await gsv.write(founder, '/home/ada/one.txt', 'planted-first');
  await gsv.write(second, '/home/ada/two.txt', 'planted-second');
  await gsv.passing(founder.page.run('planted-question'));
  for (const browser of [founder, second]) await gsv.everythingStored(browser);
  expect(gsv.room.storage.dump()).toContain('planted-second');
  return { gsv, founder, second };
}

async function isSealed(gsv: GsvInMemory, ...browsers: TestBrowser[]): Promise<void> {
  for (const browser of browsers) {
    await gsv.hasKey(browser, 1);
    await gsv.everythingStored(browser);
  }
  await gsv.until(() => !gsv.room.storage.dump().includes('planted'), 'nothing is left in the clear');
}

const start = (browser: TestBrowser) => browser.page.call('sys.seal.start', {});

test('[S154] a GSV with a room and several browsers is sealed later: all go on, and nothing is left there in the clear', async () => {
  const { gsv, founder, second } = await inTheClear();
  const { gsvId } = await gsv.passing(start(founder));
  await isSealed(gsv, founder, second);
  expect(await second.page.call('sys.seal.get', {})).toMatchObject({ sealed: true, gsvId });
  await gsv.write(second, '/home/ada/three.txt', 'planted-third');
  await gsv.reads(founder, '/home/ada/three.txt', 'planted-third');
  await gsv.reads(second, '/home/ada/one.txt', 'planted-first');
  expect(gsv.room.storage.dump()).not.toContain('planted');
  expect(gsv.room.storage.names().filter((name) => !name.startsWith('.'))).toEqual(['control', 'epochs']);
  await expect(gsv.passing(start(founder))).rejects.toMatchObject({ code: 409 });
  const later = await gsv.invited(second);
  await gsv.reads(later, '/home/ada/two.txt', 'planted-second');
});

test('[S154] a browser that was away with changes of its own gets the keys when it comes, and loses nothing', async () => {
  const { gsv, founder, second } = await inTheClear();
  second.host.cut();
  await gsv.write(second, '/home/ada/away.txt', 'planted-away');
  await gsv.passing(start(founder));
  await isSealed(gsv, founder);
  await gsv.write(founder, '/home/ada/here.txt', 'planted-here');
  await gsv.restarted(second);
  second.host.mend();
  await isSealed(gsv, second);
  await gsv.reads(founder, '/home/ada/away.txt', 'planted-away');
  await gsv.reads(second, '/home/ada/here.txt', 'planted-here');
});

test('[S155] killed at any moment while it seals, a browser goes on; or nothing was begun', async () => {
  let killed = 0;
  for (const moments of [1, 3, 8, 20, 40, 80, 160, 320]) {
    const { gsv, founder, second } = await inTheClear();
    const begin = async (): Promise<void> => {
      await start(founder);
      await gsv.everythingStored(founder);
    };
    if (await gsv.killedDuring(founder, moments, begin)) killed += 1;
    await gsv.until(
      async () => (await founder.page.call('sys.status', {})).link === 'online',
      'it is online',
    );
    const { sealed } = await founder.page.call('sys.seal.get', {});
    if (!sealed) await gsv.passing(start(founder).catch(() => {}));
    await isSealed(gsv, founder, second);
    for (const browser of [founder, second]) {
      await gsv.reads(browser, '/home/ada/one.txt', 'planted-first');
      await gsv.reads(browser, '/home/ada/two.txt', 'planted-second');
    }
    for (const { kernel } of [founder, second]) kernel.kill();
  }
  expect(killed).toBeGreaterThan(2);
});

test('[S155] two that seal it at once end with the same keys', async () => {
  const { gsv, founder, second } = await inTheClear();
  await gsv.passing(Promise.allSettled([start(founder), start(second)]));
  await isSealed(gsv, founder, second);
  const ids = await Promise.all(
    [founder, second].map(async ({ page }) => (await page.call('sys.seal.get', {})).gsvId),
  );
  expect(ids[0]).toBe(ids[1]);
  await gsv.write(founder, '/home/ada/after.txt', 'planted-after');
  await gsv.reads(second, '/home/ada/after.txt', 'planted-after');
});

test('[S156] a GSV without a room is sealed at once', async () => {
  const { gsv } = await GsvInMemory.start({ sealed: false });
  const alone = await gsv.browser();
  await gsv.passing(alone.page.call('sys.setup', { username: 'bob', password: 'battery staple' }));
  await gsv.passing(alone.page.connect({ username: 'bob', password: 'battery staple' }));
  const { gsvId } = await gsv.passing(start(alone));
  await alone.kernel.restart().catch(() => {});
  expect(alone.kernel.disk.secrets.get('seal/keyring')).toContain(gsvId);
});

test('[S156] while the server is away nothing is begun, and it says so', async () => {
  const { gsv, founder } = await inTheClear();
  founder.host.cut();
  await expect(gsv.passing(start(founder))).rejects.toMatchObject({ code: 503 });
  expect(await founder.page.call('sys.seal.get', {})).toMatchObject({ sealed: false });
});
