import { describe, expect, test } from 'vitest';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';

const FILES = 'fs';

/** Two browsers of a sealed GSV, each of which has written a file. */
async function written() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  const second = await gsv.invited(founder);
  await gsv.write(founder, '/home/ada/one.txt', 'by the first');
  await gsv.everythingStored(founder);
  await gsv.write(second, '/home/ada/two.txt', 'by the second');
  await gsv.everythingStored(second);
  await gsv.reads(founder, '/home/ada/two.txt', 'by the second');
  /** Changes a byte of what the server's disk has of the files; `at` counts from the end. */
  const damage = async (at: number): Promise<void> => {
    gsv.room.cut(false);
    const { updates } = await gsv.room.storage.load(`.${FILES}`);
    const stored = updates.at(-1 - at);
    if (!stored) throw new Error('there is nothing to damage');
    stored[stored.length - 20] = (stored[stored.length - 20] ?? 0) ^ 1;
    await gsv.room.restart();
  };
  const faulty = ({ page }: TestBrowser) =>
    gsv.until(
      async () => (await page.call('sys.seal.get', {})).faults.some(({ name }) => name === FILES),
      'a fault',
    );
  const well = ({ page }: TestBrowser) =>
    gsv.until(async () => (await page.call('sys.seal.get', {})).faults.length === 0, 'no fault');
  const repaired = (browser: TestBrowser) =>
    gsv.passing(browser.page.call('sys.seal.repair', { name: FILES }));
  return { gsv, founder, second, damage, faulty, well, repaired };
}

describe('a log that cannot be read from its start', () => {
  test.each([0, 1, 2])(
    '[S158] damaged %i from its end, it is put right from a browser that has everything, and a newcomer reads it',
    async (at) => {
      const { gsv, founder, damage, well, repaired } = await written();
      await damage(at);
      await gsv.everythingStored(founder);
      await repaired(founder);
      const newcomer = await gsv.invited(founder);
      await gsv.reads(newcomer, '/home/ada/one.txt', 'by the first');
      await gsv.reads(newcomer, '/home/ada/two.txt', 'by the second');
      for (const browser of [founder, newcomer]) await well(browser);
      await gsv.write(newcomer, '/home/ada/three.txt', 'by the third');
      await gsv.reads(founder, '/home/ada/three.txt', 'by the third');
    },
  );

  test('[S158] so is one whose only entry is a snapshot', async () => {
    const { gsv, founder, damage, repaired } = await written();
    await repaired(founder);
    expect((await gsv.room.storage.load(`.${FILES}`)).updates).toHaveLength(1);
    await damage(0);
    await gsv.everythingStored(founder);
    await repaired(founder);
    const newcomer = await gsv.invited(founder);
    await gsv.reads(newcomer, '/home/ada/two.txt', 'by the second');
  });

  test('[S159] a browser that lacks something of it does not replace it; one that has it does', async () => {
    const { gsv, founder, second, damage, faulty, well, repaired } = await written();
    founder.host.cut();
    await gsv.write(second, '/home/ada/later.txt', 'only by the second');
    await gsv.everythingStored(second);
    await damage(0);
    founder.host.mend();
    await faulty(founder);
    await expect(repaired(founder)).rejects.toMatchObject({
      message: expect.stringMatching(/not here|did not take/),
    });
    await faulty(second);
    await repaired(second);
    await gsv.reads(founder, '/home/ada/later.txt', 'only by the second');
    await well(founder);
  });

  test('[S159] nothing is repaired that is no sealed document, nor without the server', async () => {
    const { gsv, founder } = await written();
    const repair = (name: string) => gsv.passing(founder.page.call('sys.seal.repair', { name }));
    await expect(repair('epochs')).rejects.toMatchObject({ code: 404 });
    await expect(repair('nothing')).rejects.toMatchObject({ code: 404 });
    founder.host.cut();
    await gsv.until(async () => (await founder.page.call('sys.status', {})).link !== 'online', 'it is away');
    await expect(repair(FILES)).rejects.toMatchObject({ code: 503 });
  });
});
