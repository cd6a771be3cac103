import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { kept } from '../support/profile.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

let world: World;
let open: OpenPage;
beforeAll(async () => {
  world = await World.start();
  open = await world.open();
});
afterAll(() => world.stop());

test('[U73] a page that stands goes on when its server is gone: chat, files, and every view', async () => {
  const { page } = open;
  await withScreenshot(page, 'no-server', async () => {
    await world.setUp(page);
    world.model.enqueue(text('Hello.'));
    await say(page, 'hello');
    await answered(page, 'Hello.');
    await kept(page);
    await world.server.kill();
    await page.getByText('offline', { exact: false }).first().waitFor();
    world.model.enqueue(
      tool('Write', { target: 'gsv', path: 'note.txt', content: 'kept\n' }),
      tool('Read', { target: 'gsv', path: 'note.txt' }),
      text('Written without a server.'),
    );
    await say(page, 'note this');
    await answered(page, 'Written without a server.');
    expect(toolResults(world.model).at(-1)).toContain('kept');
    for (const name of ['Processes', 'Devices', 'Settings', 'Chat']) {
      await page.getByRole('link', { name }).click();
      await page
        .getByRole('heading', { level: 1 })
        .or(page.getByRole('textbox', { name: 'Message' }))
        .first()
        .waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
  });
});
