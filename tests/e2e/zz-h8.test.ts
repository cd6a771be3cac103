import { test } from 'vitest';
import { hostileFrames } from '../support/hostile-frames.ts';
import { attackKernel, rememberKernel } from '../support/kernel-attack.ts';
import { text } from '../support/model-replies.ts';
import { say, World } from '../support/world.ts';

test('look', async () => {
  const world = await World.start();
  const open = await world.open();
  const page = open.page;
  await page.addInitScript(rememberKernel);
  await page.reload();
  await world.setUp(page);
  const cdp = await world.browser.newBrowserCDPSession();
  const n = Number(process.env.N ?? 2000);
  const frames = hostileFrames(20_261_121, n).map((frame) =>
    typeof frame === 'string' ? { text: frame } : { bytes: [...frame] },
  );
  console.log(Date.now(), await page.evaluate(attackKernel, frames));
  console.log(Date.now(), (await cdp.send('Target.getTargets')).targetInfos.map((t) => `${t.type} ${t.url}`));
  world.model.respond(() => text('Still'));
  await say(page, 'are you well?');
  for (let i = 0; i < 5; i++) {
    await page.waitForTimeout(1500);
    console.log(Date.now(), open.problems, world.model.requests.length, (await page.getByRole('main').innerText()).slice(0, 300), await page.getByRole('textbox', {name:'Message'}).inputValue());
    console.log(JSON.stringify(await page.evaluate(async () => (await navigator.locks.query()))).slice(0, 1500));
  }
  await page.screenshot({ path: '/tmp/h8.png' });
  await world.stop();
});
