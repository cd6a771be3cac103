import { randomBytes } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { openElsewhere, saidIn, synced } from '../support/one-gsv.ts';
import { answered, say, World } from '../support/world.ts';

/** Room for a GSV and a few long messages. Set before anything is stored: Chromium grants space in advance. */
const QUOTA = 4_000_000;
const LONG = 300_000;
const TRIES = 30;

let world: World;
let page: Page;
let other: Page;
let devtools: CDPSession;

beforeAll(async () => {
  world = await World.start();
  world.model.respond((request) =>
    JSON.stringify(request.body.messages.at(-1)).length > LONG ? byWord(asShort(request)) : byWord(request),
  );
  const context = await world.browser.newContext({ viewport: { width: 1360, height: 860 } });
  page = await context.newPage();
  devtools = await context.newCDPSession(page);
  await quota(QUOTA);
  await withScreenshot(page, 'full-disk-set-up', async () => {
    await page.goto(world.server.claimLink ?? '');
    await world.setUp(page);
    await say(page, 'before');
    await answered(page, 'Heard: before');
    ({ page: other } = await openElsewhere(world, page));
    await synced(page);
  });
});
afterAll(() => world.stop());

type Request = Parameters<typeof byWord>[0];

/** The number that a long message begins with, instead of all of it. */
function asShort(request: Request): Request {
  const [, number = ''] = /"(\d+) /.exec(JSON.stringify(request.body.messages.at(-1))) ?? [];
  return { ...request, body: { ...request.body, messages: [{ role: 'user', content: `long ${number}` }] } };
}

/** Lets this origin store so much and no more; null is as before. */
async function quota(bytes: number | null): Promise<void> {
  const size = bytes === null ? {} : { quotaSize: bytes };
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: world.server.url, ...size });
}

const refused = () => page.getByText(/no space left/).first();

/** Sends long messages until one does not fit. Answers how many were taken. */
async function fill(): Promise<number> {
  for (let taken = 0; taken < TRIES; taken += 1) {
    // What could be compressed would not fill a disk.
    await say(page, `${taken} ${randomBytes(LONG).toString('base64')}`);
    const answer = page.getByRole('log').getByText(`Heard: long ${taken}`, { exact: true });
    await expect
      .poll(async () => (await refused().isVisible()) || (await answer.isVisible()), { timeout: 10_000 })
      .toBe(true);
    if (await refused().isVisible()) return taken;
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  }
  throw new Error('The disk was never full');
}

test('[S49] a full disk refuses each kind of change with what to do, and loses nothing', () =>
  withScreenshot(page, 'full-disk', async () => {
    const taken = await fill();
    expect(taken).toBeGreaterThan(0);
    const box = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(async () => (await box.inputValue()).length).toBeGreaterThan(LONG);
    await box.fill('');
    await quota(null);
    await say(page, 'fits now');
    await answered(page, 'Heard: fits now');
    await answered(other, 'Heard: fits now');
    await page.reload();
    await answered(page, 'Heard: fits now');
    await Promise.all([synced(page), synced(other)]);
    const said = await saidIn(page);
    expect(
      said.filter((text) => text.length > LONG),
      'what was taken, and no more',
    ).toHaveLength(taken);
    expect([said.at(0), said.at(-1)]).toEqual(['before', 'fits now']);
    expect(await saidIn(other)).toEqual(said);
  }));
