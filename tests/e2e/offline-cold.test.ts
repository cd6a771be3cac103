import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { fetchedBytes } from '../support/fetched-files.ts';
import { text, tool } from '../support/model-replies.ts';
import { precached } from '../support/precache.ts';
import { kept, Profile } from '../support/profile.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

const kB = 1000;
const FIRST_VIEW_KB = 150;
const SHELL_KB = 600;

let world: World;
const empty = new Profile();
const used = new Profile();
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await Promise.all([empty.remove(), used.remove()]);
  await world.stop();
});

/** Opens an address in the browser of a profile, which is started for it. */
async function open(
  profile: Profile,
  address: string,
  options: { offline: boolean },
  steps: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await profile.launch(options);
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(address);
  await withScreenshot(page, `open ${new URL(address).pathname}`, () => steps(page));
  await profile.close();
}

const openCold = (profile: Profile, path: string, steps: (page: Page) => Promise<void>): Promise<void> =>
  open(profile, `${world.server.url}${path}`, { offline: true }, steps);

const fetchedKb = async (page: Page): Promise<number> => (await fetchedBytes(page)) / kB;

test('[U150] before its first view works, the page has fetched at most 150 kB, gzipped, the kernel apart', async () => {
  await open(empty, world.server.url, { offline: false }, async (page) => {
    await page.getByLabel('Username').waitFor();
    expect(await fetchedKb(page)).toBeLessThan(FIRST_VIEW_KB);
    await kept(page);
  });
  await open(used, world.server.claimLink ?? '', { offline: false }, async (page) => {
    await world.setUp(page);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await fetchedKb(page)).toBeLessThan(FIRST_VIEW_KB);
    world.model.enqueue(
      tool('Write', { target: 'gsv', path: 'note.txt', content: 'kept for later\n' }),
      text('Noted.'),
    );
    await say(page, 'note this');
    await answered(page, 'Noted.');
    await kept(page);
  });
});

test('[U151] what is kept at once to open without a network is at most 600 kB, gzipped, with the kernel', () => {
  const first = precached().filter(({ when }) => when === 'first');
  const names = first.map(({ url }) => url);
  expect(names).toEqual(expect.arrayContaining(['index.html', 'skills.json', 'manifest.webmanifest']));
  expect(names.some((name) => name.includes('kernel-worker'))).toBe(true);
  expect(first.reduce((sum, { gzipped }) => sum + gzipped, 0) / kB).toBeLessThan(SHELL_KB);
});

test('[U152] with its server stopped and no network, a browser started anew opens every address of the page', async () => {
  await world.server.kill();
  for (const [path, heading] of [
    ['/devices', 'Devices'],
    ['/settings/storage', 'Settings'],
    ['/processes', 'Processes'],
  ] as const) {
    await openCold(used, path, (page) => page.getByRole('heading', { name: heading, level: 1 }).waitFor());
  }
});

test('[U153] there it shows what was said, and its agent reads and writes files', () =>
  openCold(used, '/', async (page) => {
    await page.getByRole('log').getByText('Noted.').waitFor();
    world.model.enqueue(
      tool('Read', { target: 'gsv', path: 'note.txt' }),
      tool('Shell', { target: 'gsv', input: 'wc -l note.txt' }),
      text('I have read it.'),
    );
    await say(page, 'read it');
    await answered(page, 'I have read it.');
    const results = toolResults(world.model).slice(-2);
    expect(results[0]).toContain('kept for later');
    expect(results[1]).toContain('1 note.txt');
  }));

test('[U154] there a new account is set up too, with the skills that GSV comes with', () =>
  openCold(empty, '/', async (page) => {
    await world.setUp(page);
    world.model.enqueue(tool('Shell', { target: 'gsv', input: 'ls skills.d' }), text('There are some.'));
    await say(page, 'which skills are there?');
    await answered(page, 'There are some.');
    expect(toolResults(world.model).at(-1)).toContain('long-commands');
  }));
