import { describe, expect, test } from 'vitest';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';

const isSealed = async ({ page }: TestBrowser): Promise<boolean> => {
  const { sealed, resealing } = await page.call('sys.seal.get', {});
  return sealed && resealing === null;
};

/** Three browsers of a GSV that is not sealed; one is away and has written something since. */
async function readableGsv() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: false });
  const second = await gsv.invited(founder);
  const away = await gsv.invited(founder);
  await gsv.write(founder, '/home/ada/planted-name.txt', 'planted by the first');
  await gsv.write(second, '/home/ada/planted-blob.txt', 'planted blob '.repeat(1_000));
  await gsv.everythingStored(founder);
  await gsv.everythingStored(second);
  await gsv.reads(away, '/home/ada/planted-name.txt', 'planted by the first');
  expect(gsv.room.storage.dump()).toContain('planted');
  away.host.cut();
  await gsv.write(away, '/home/ada/planted-away.txt', 'planted while away');
  const wholeAndUnreadable = async (): Promise<void> => {
    for (const browser of [founder, second]) await gsv.until(() => isSealed(browser), 'it is sealed');
    await gsv.until(() => !gsv.room.storage.dump().includes('planted'), 'nothing is left');
    away.host.mend();
    await gsv.until(() => isSealed(away), 'the one that was away hears of it');
    for (const browser of [founder, second, away]) {
      await gsv.reads(browser, '/home/ada/planted-name.txt', 'planted by the first');
      await gsv.reads(browser, '/home/ada/planted-blob.txt', 'planted blob');
      await gsv.reads(browser, '/home/ada/planted-away.txt', 'planted while away');
      await gsv.everythingStored(browser);
    }
    const later = await gsv.invited(second);
    await gsv.reads(later, '/home/ada/planted-away.txt', 'planted while away');
    expect(gsv.room.storage.dump()).not.toContain('planted');
  };
  return { gsv, founder, second, away, wholeAndUnreadable };
}

describe('sealing what was not', () => {
  test('[S168] everything is kept in every browser, and what the server could read is removed there', async () => {
    const { gsv, founder, wholeAndUnreadable } = await readableGsv();
    const { gsvId } = await gsv.passing(founder.page.call('sys.seal.start', {}));
    expect(gsvId).not.toBe('');
    await wholeAndUnreadable();
    await expect(founder.page.call('sys.seal.start', {})).rejects.toMatchObject({ code: 409 });
  });

  test('[S168] a kill at any moment leaves it as it was, or goes on where it was', async () => {
    for (const moments of [1, 3, 5, 8, 12, 18, 26]) {
      const { gsv, founder, wholeAndUnreadable } = await readableGsv();
      await gsv.killedDuring(founder, moments, async () => {
        await founder.page.call('sys.seal.start', {});
        await gsv.until(() => isSealed(founder), 'it is sealed');
      });
      const begins = () =>
        founder.page.call('sys.seal.start', {}).then(
          () => true,
          ({ code }) => code === 409,
        );
      await gsv.until(begins, 'it is begun');
      await wholeAndUnreadable();
    }
  }, 60_000);

  test('[S168] with the server away nothing is sealed', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: false });
    founder.host.cut();
    await gsv.until(async () => (await founder.page.call('sys.status', {})).link !== 'online', 'it is away');
    await expect(gsv.passing(founder.page.call('sys.seal.start', {}))).rejects.toMatchObject({ code: 503 });
    expect((await founder.page.call('sys.seal.get', {})).sealed).toBe(false);
  });
});
