import { test } from 'vitest';
import { hostileFrames } from '../support/hostile-frames.ts';
import { hostileMarkdown } from '../support/hostile-markdown.ts';
import { attackKernel, rememberKernel } from '../support/kernel-attack.ts';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

test('look', async () => {
  const world = await World.start({});
  const open = await world.open();
  const page = open.page;
  await page.addInitScript(rememberKernel);
  await page.reload();
  await world.setUp(page);
  const everything = hostileMarkdown.map(({ source }) => source).join('\n');
  for (let i = 0; i < 6; i++) {
    world.model.enqueue(
      tools([{ name: 'Read', args: { target: 'gsv', path: '/home/ada' } }], { text: everything, chunk: 200 }),
      text(`seen ${i}`),
    );
    await say(page, `say ${i}`);
    await answered(page, `seen ${i}`);
  }
  const path = '/home/ada/x.md';
    world.model.enqueue(
    tools([{ name: 'Write', args: { target: 'gsv', path, content: everything } }]),
    tools([{ name: 'Read', args: { target: 'gsv', path } }]),
    tool('Shell', { target: 'gsv', input: 'rm -rf /x' }),
    text('not removed'),
  );
  await say(page, 'write it down');
  await page.getByRole('button', { name: 'Deny' }).click();
  await answered(page, 'not removed');
  if (process.env.CLICK) await page.locator('details.call:not([open]) > summary').first().click();
  for (let i = 0; i < 1; i++) {
    const frames = hostileFrames(20_261_121, 2000).map((frame) =>
      typeof frame === 'string' ? { text: frame } : { bytes: [...frame] },
    );
    const t0 = Date.now();
    const r = process.env.ATTACK ? await page.evaluate(attackKernel, frames) : 0;
    const t1 = Date.now();
    const n = world.model.requests.length;
    world.model.respond(() => text(`Still ${i}`));
    await say(page, `are you well ${i}?`);
    const t2 = Date.now();
    await answered(page, `Still ${i}`).catch(async () => {
      console.log('FAILED', world.model.requests.length - n, open.problems);
      await page.screenshot({path:'/tmp/h8.png'}); console.log((await page.getByRole('log').innerText()).slice(-300));
      console.log(await page.evaluate(() => { const l = document.querySelector('[role=log]') as HTMLElement; return [l.scrollTop, l.scrollHeight, l.clientHeight, l.querySelectorAll('.entry').length]; }));
      const locks = await page.evaluate(() => navigator.locks.query());
      console.log(JSON.stringify(locks.held?.map((l) => [l.name, l.mode])), JSON.stringify(locks.pending?.map((l) => [l.name, l.mode])));
    });
    console.log(i, r, t1 - t0, t2 - t1, Date.now() - t2);
  }
  await world.stop();
});
