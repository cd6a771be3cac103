import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scrollsSideways, seriousProblems } from '../support/audit.ts';
import { withScreenshot } from '../support/browser.ts';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

const DESKTOP = { width: 1360, height: 860 };
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 360, height: 740 };
const looks = [
  { name: 'dark', colorScheme: 'dark', size: DESKTOP },
  { name: 'light', colorScheme: 'light', size: DESKTOP },
  { name: 'light phone', colorScheme: 'light', size: PHONE },
] as const;

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

/** Every look of what is on the page now. */
async function audit(view: string): Promise<void> {
  for (const { name, colorScheme, size } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    expect(await seriousProblems(page), `${view}, ${name}`).toEqual([]);
  }
  await page.setViewportSize(NARROW);
  expect(await scrollsSideways(page), `${view}, ${NARROW.width} px`).toBe(false);
  await page.setViewportSize(DESKTOP);
}

step('[U66] axe finds nothing serious in the first run', async () => {
  await page.getByLabel('Username').waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await audit('account');
  await world.setUp(page);
});

step('[U66] axe finds nothing serious in a conversation with tools and an approval', async () => {
  await audit('empty chat');
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
  await audit('approval');
  await page.getByRole('button', { name: 'Deny' }).click();
  await answered(page, 'Left alone.');
  await audit('conversation');
});

for (const name of ['Processes', 'Devices']) {
  step(`[U66] axe finds nothing serious in ${name}`, async () => {
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await audit(name);
  });
}

step('[U66] axe finds nothing serious in any section of the settings', async () => {
  await page.getByRole('link', { name: 'Settings' }).click();
  for (const section of ['Model', 'Approvals', 'Usage', 'Tokens', 'Appearance', 'Account', 'About']) {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click();
    await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor();
    await audit(section);
  }
});
