import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { say, World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

test('[A60] set up, chat, and act on a workstation through the page', async () => {
  const { page, problems } = await world.open();
  await withScreenshot(page, 'main-job', async () => {
    await world.setUp(page);
    world.model.enqueue(text('Hello Ada, what shall we do?'));
    await say(page, 'hello');
    await page.getByRole('log').getByText('Hello Ada, what shall we do?').waitFor();

    const { workspace } = await world.addDevice(page);
    writeFileSync(join(workspace, 'notes.txt'), 'alpha\nbeta\n');
    world.model.enqueue(tool('Read', { target: 'box', path: 'notes.txt' }), text('The second line says beta.'));
    await say(page, 'what is in notes.txt?');
    await page.getByRole('log').getByText('The second line says beta.').waitFor();
    const last = world.model.requests.at(-1)?.body.messages.at(-1);
    expect(JSON.stringify(last?.content)).toContain('beta');
  });
  expect(problems.errors).toEqual([]);
  expect(problems.violations).toEqual([]);
});
