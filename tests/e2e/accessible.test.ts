import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, looksWell } from '../support/look.ts';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

let world: World;
let page: Page;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

step('[U66] axe finds nothing serious in the first run', async () => {
  await page.getByLabel('Username').waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await looksWell(page, 'account');
  await world.setUp(page);
});

step('[U66] axe finds nothing serious in a conversation with tools and an approval', async () => {
  await looksWell(page, 'empty chat');
  await world.addDevice(page, 'box');
  world.model.enqueue(
    tools([{ name: 'Read', args: { target: 'gsv', path: '/home/ada' } }], {
      text: '# A title\n\nSome `code`, a [link](https://example.org), and:\n\n```ts\nconst one: number = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |',
    }),
    tool('Write', { target: 'gsv', path: '/home/ada/note.md', content: 'one\ntwo\n' }),
    tool('Edit', { target: 'gsv', path: '/home/ada/note.md', oldString: 'two', newString: 'three' }),
    tool('Read', { target: 'gsv', path: '/home/ada/missing' }),
    tool('Shell', { target: 'box', input: 'rm -rf ./cache && curl https://example.org' }),
    text('Left alone.'),
  );
  await say(page, 'show me everything');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await looksWell(page, 'approval');
  await page.getByRole('button', { name: 'Deny' }).click();
  await answered(page, 'Left alone.');
  await looksWell(page, 'conversation');
});

for (const name of ['Processes', 'Devices']) {
  step(`[U66] axe finds nothing serious in ${name}`, async () => {
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await looksWell(page, name);
  });
}

step('[U66] axe finds nothing serious in any section of the settings', async () => {
  await page.getByRole('link', { name: 'Settings' }).click();
  for (const section of ['Model', 'Approvals', 'Usage', 'Tokens', 'Appearance', 'Account', 'About']) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click();
    await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor();
    await looksWell(page, section);
  }
});
