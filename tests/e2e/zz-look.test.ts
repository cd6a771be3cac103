import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

test('look', async () => {
  const world = await World.start();
  const { page } = await world.open();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: '/tmp/lead/1-wizard.png' });
  await world.setUp(page);
  await page.screenshot({ path: '/tmp/lead/2-empty.png' });
  const { workspace } = await world.addDevice(page, 'build-box');
  writeFileSync(join(workspace, 'nightly.sh'), '#!/bin/sh\nexport CACHE=/mnt/cache/$(date +%d-%m)\n./build.sh --cache "$CACHE"\n');
  world.model.enqueue(
    tools([{ name: 'Read', args: { target: 'build-box', path: 'nightly.sh' } }, { name: 'Shell', args: { target: 'build-box', input: 'ls -la | head -5' } }], { text: "I'll look at the script first." }),
    tool('Edit', { target: 'build-box', path: 'nightly.sh', oldString: '%d-%m', newString: '%F' }),
    tools([{ name: 'Shell', args: { target: 'build-box', input: 'rm -r ./cache/17-11' } }], { text: "The cache folder was named by **day and month** only, so last year's folder for `17-11` was reused.\n\n```ts\nconst x: number = 1;\n```\n" }),
    text('Done. The stale folder is gone.'),
  );
  await say(page, 'The nightly on build-box has been red since Tuesday. Find out why, and fix it if it is small.');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await page.waitForTimeout(400);
  await page.screenshot({ path: '/tmp/lead/3-approve.png' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: '/tmp/lead/4-phone.png' });
  await page.getByRole('button', { name: 'Approve' }).click();
  await answered(page, 'Done. The stale folder is gone.');
  for (const name of ['Processes', 'Devices', 'Settings']) {
    await page.getByRole('link', { name }).click();
    await page.waitForTimeout(300);
    await page.screenshot({ path: `/tmp/lead/5-phone-${name}.png` });
  }
  await page.setViewportSize({ width: 1360, height: 860 });
  for (const name of ['Processes', 'Devices', 'Settings', 'Chat']) {
    await page.getByRole('link', { name }).click();
    await page.waitForTimeout(300);
    await page.screenshot({ path: `/tmp/lead/6-${name}.png` });
  }
  await world.stop();
});
