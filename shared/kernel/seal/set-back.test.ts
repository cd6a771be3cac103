import { expect, test } from 'vitest';
import { GsvInMemory } from '../../../tests/support/gsv-in-memory.ts';

test('[S157] a server that was set back is put right by the browsers, and its owner is told of it afterwards', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  const second = await gsv.invited(founder);
  await gsv.write(founder, '/home/ada/before.txt', 'before');
  await gsv.everythingStored(founder);
  const restore = gsv.room.storage.copy();
  await gsv.write(founder, '/home/ada/after.txt', 'afterwards');
  await gsv.reads(second, '/home/ada/after.txt', 'afterwards');
  for (const browser of [founder, second]) await gsv.everythingStored(browser);
  gsv.room.cut(false);
  restore();
  await gsv.room.restart();
  const titles = async (): Promise<string[]> =>
    (await founder.page.call('notification.list', {})).notifications.map(({ title }) => title);
  await gsv.until(async () => (await titles()).length > 0, 'it is told');
  expect(await titles()).toContainEqual(expect.stringContaining('your files was not right for a while'));
  for (const browser of [founder, second]) await gsv.everythingStored(browser);
  expect((await founder.page.call('sys.seal.get', {})).faults).toEqual([]);
  const later = await gsv.invited(second);
  await gsv.reads(later, '/home/ada/after.txt', 'afterwards');
});
