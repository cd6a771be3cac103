import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, looksWell } from '../support/look.ts';
import { text, tool } from '../support/model-replies.ts';
import { answered, say, World } from '../support/world.ts';

type Shown = { title: string; tag: string; data: { open: string | null } };
type Seen = { asked: number; shown: Shown[]; closed: number; badges: number[] };
declare global {
  var seen: Seen;
}

let world: World;
let page: Page;

/** A headless browser shows no notifications and has no badge: what the page asks of it is written down here. */
function record(): void {
  globalThis.seen = { asked: 0, shown: [], closed: 0, badges: [] };
  let permission: NotificationPermission = 'default';
  class Recorded {
    static get permission() {
      return permission;
    }
    static async requestPermission() {
      globalThis.seen.asked += 1;
      permission = 'granted';
      return permission;
    }
    onclick: (() => void) | null = null;
    constructor(title: string, options: NotificationOptions & { data: Shown['data'] }) {
      globalThis.seen.shown.push({ title, tag: options.tag ?? '', data: options.data });
    }
    close(): void {
      globalThis.seen.closed += 1;
    }
  }
  Object.defineProperty(globalThis, 'Notification', { value: Recorded });
  ServiceWorkerRegistration.prototype.showNotification = async (title, options = {}) => {
    globalThis.seen.shown.push({ title, tag: options.tag ?? '', data: options.data });
  };
  Object.assign(navigator, {
    setAppBadge: async (count: number) => void globalThis.seen.badges.push(count),
    clearAppBadge: async () => void globalThis.seen.badges.push(0),
  });
}

/** A headless browser never hides a page by itself. */
const setVisible = (state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value: string) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open(undefined, DESKTOP, { bypassCSP: true, reducedMotion: 'reduce' }));
  await page.context().addInitScript(record);
  await page.reload();
  await withScreenshot(page, 'notices-set-up', () => world.setUp(page));
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

step(
  '[U234] the permission is asked for in the panel, by a click, and never when the page is opened',
  async () => {
    expect(await page.evaluate(() => seen.asked)).toBe(0);
    await page.getByRole('button', { name: 'Notifications' }).click();
    const panel = page.getByRole('dialog', { name: 'Notifications' });
    await panel.getByText('Show these on your screen while this page is in the background?').waitFor();
    await looksWell(page, 'permission');
    await panel.getByRole('button', { name: 'Allow' }).click();
    await panel.getByText('They are shown on your screen').waitFor();
    expect(await page.evaluate(() => seen.asked)).toBe(1);
    await page.keyboard.press('Escape');
  },
);

step(
  '[U235] an approval that waits while nobody looks is shown outside of the page, counted on the badge, and leads there',
  async () => {
    world.model.enqueue(tool('Shell', { target: 'gsv', input: 'rm -r ./everything' }), text('Left alone.'));
    await say(page, 'tidy up');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('link', { name: 'Devices' }).click();
    await setVisible('hidden');
    await page.waitForFunction(() => seen.shown.length > 0);
    const [shown] = await page.evaluate(() => seen.shown);
    expect(shown).toMatchObject({
      title: '“Home” waits for your approval',
      data: { open: '/chat/init%3A1000' },
    });
    expect(JSON.stringify(shown)).not.toContain('everything');
    await page.waitForFunction(() => seen.badges.at(-1) === 1);
    expect(await page.evaluate(() => seen.shown.length)).toBe(1);

    await setVisible('visible');
    await page.getByRole('button', { name: 'Notifications, 1 new' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await answered(page, 'Left alone.');
    await page.waitForFunction(() => seen.badges.at(-1) === 0);
  },
);
