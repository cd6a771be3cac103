import { test } from 'vitest';
import { seriousProblems } from '../support/audit.ts';
import { fail, text, tool } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

test('look', async () => {
  const world = await World.start({});
  const { page } = await world.open(undefined, undefined, { bypassCSP: true });
  let t = Date.now();
  const lap = (n: string) => {
    console.log(n, Date.now() - t);
    t = Date.now();
  };
  await world.setUp(page);
  lap('setup');
  await page.evaluate(() => {
    const i = document.createElement('img');
    i.src = 'data:,';
    document.body.append(i);
  });
  console.log((await seriousProblems(page)).map((p) => p.slice(0, 80)));
  lap('axe');
  world.model.enqueue(text('one'), text('two'));
  await page.getByRole('textbox', { name: 'Message' }).fill('hi');
  lap('fill');
  const box = await page.getByRole('button', { name: 'Send' }).boundingBox();
  console.log(
    await page.evaluate(
      ([x, y]) => document.elementFromPoint(x, y)?.outerHTML.slice(0, 300),
      [box.x + box.width / 2, box.y + box.height / 2],
    ),
  );
  await page.screenshot({ path: '/tmp/h8.png' });
  await page.getByRole('button', { name: 'Send' }).click();
  lap('click');
  await page.getByRole('log').getByText('hi', { exact: true }).waitFor();
  lap('shown');
  await world.model.request(0);
  lap('asked');
  await answered(page, 'one');
  lap('answered');
  await say(page, 'again');
  lap('say');
  await answered(page, 'two');
  lap('answered');
  await page.getByRole('link', { name: 'Settings' }).click();
  lap('settings');
  await page.getByLabel('Model calls per run').fill('3');
  lap('fill');
  await page.getByRole('button', { name: 'Save' }).click();
  lap('save');
  await page.getByText('The model settings are saved.').waitFor();
  lap('saved');
  await page.getByRole('link', { name: 'Chat' }).click();
  lap('chat');
  await world.stop();
});
