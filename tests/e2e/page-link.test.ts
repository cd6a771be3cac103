import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fixture } from '../support/ui-fixture/in-page.ts';
import {
  button,
  calls,
  dialog,
  type PageAlone,
  PHONE,
  patchRow,
  startPageAlone,
} from '../support/ui-fixture/visit.ts';

/** The page alone, on a scripted kernel: how it stands with its server, with other browsers and with its storage. */
let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());
const visit: PageAlone['visit'] = (...given) => alone.visit(...given);

const main = (page: Page) => page.getByRole('main');

describe('the link', () => {
  for (const { scene, words } of [
    { scene: 'chat', words: 'Synced' },
    { scene: 'waiting', words: '3 changes waiting' },
    { scene: 'offline', words: /^Offline since / },
    { scene: 'refused', words: 'This server refused: Unknown token' },
    { scene: 'alone', words: 'Only on this device' },
  ])
    for (const [where, options] of [
      ['desktop', undefined],
      ['phone', PHONE],
    ] as const)
      test(`[U89] one small place says “${words}” on a ${where}`, () =>
        visit(
          `link-${scene}`,
          `/devices?scene=${scene}`,
          async (page) => {
            await page.getByRole('button', { name: words }).waitFor();
            expect(await page.getByText(words).count()).toBe(1);
          },
          options,
        ));

  test('[U89] pressed, it says more, and asks the server again', () =>
    visit('link-again', '/?scene=offline', async (page) => {
      await page.getByRole('button', { name: /^Offline since/ }).press('Enter');
      await dialog(page)
        .getByText(/2 changes waiting; nothing is lost/)
        .waitFor();
      await button(page, 'Try again').click();
      await dialog(page).getByText('The server has every change.').waitFor();
      expect(await calls(page, 'sys.reconnect')).toHaveLength(1);
      await page.keyboard.press('Escape');
      await button(page, 'Synced').waitFor();
    }));

  test('[U90] a browser that was shut out shows its sign-in only, with the reason', () =>
    visit('locked', '/?scene=locked', async (page) => {
      await page.getByText(/^This browser was shut out on /).waitFor();
      await page.getByText(/Your password opens what is stored here/).waitFor();
      await page.getByLabel('Username').fill('sam');
      await page.getByLabel('Password').fill('correct horse');
      await button(page, 'Sign in').click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await button(page, 'Shut out').waitFor();
    }));

  test('[U90] a page that learns it in its midst shows nothing more', () =>
    visit('locking', '/?scene=chat', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await patchRow(page, 'status', 'status', { link: 'refused', locked: true });
      await page.getByText('This browser was shut out.').waitFor();
      expect(await page.getByRole('log').count()).toBe(0);
    }));

  test('[U91] a session that was ended elsewhere leads to the sign-in', () =>
    visit('ended', '/?scene=chat', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await page.evaluate(() => {
        const { gsv } = window as unknown as Fixture;
        gsv.scene.session = 'signed-out';
        gsv.lose('attached', '');
      });
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }));
});

describe('a run on another browser', () => {
  test('[U92] the conversation says where it runs, and Stop works as usual', () =>
    visit('elsewhere', '/?scene=elsewhere', async (page) => {
      await page.getByText(/^Running on Laptop · /).waitFor();
      await button(page, 'Approve').waitFor();
      expect(await button(page, 'Go on here').count()).toBe(0);
      await button(page, 'Stop').click();
      expect(await calls(page, 'proc.abort')).toEqual([{ pid: 'init:1000' }]);
    }));

  test('[U93] when its browser is gone the run goes on here by a button', () =>
    visit('gone', '/?scene=gone', async (page) => {
      await page.getByText(/^Laptop is gone\./).waitFor();
      await button(page, 'Go on here').press('Enter');
      await button(page, 'Go on here').waitFor({ state: 'detached' });
      expect(await calls(page, 'proc.takeover')).toEqual([{ pid: 'init:1000' }]);
    }));

  test('[U93] a refusal is said, and force is used only after a question', () =>
    visit('force', '/?scene=gone', async (page) => {
      await page.evaluate(() => {
        (window as unknown as Fixture).gsv.takeover = 'refused';
      });
      await button(page, 'Go on here').click();
      await dialog(page)
        .getByText(/Laptop still holds this run and is connected\. If Laptop/)
        .waitFor();
      await button(page, 'Cancel').click();
      expect(await calls(page, 'proc.takeover')).toEqual([{ pid: 'init:1000' }]);
      await button(page, 'Go on here').click();
      await button(page, 'Go on here all the same').click();
      await expect.poll(() => calls(page, 'proc.takeover')).toContainEqual({ pid: 'init:1000', force: true });
    }));
});

describe('storage and export', () => {
  test('[U94] the settings say what is stored, and whether the browser keeps it; asked, its answer is in words', () =>
    visit('storage', '/settings/storage?scene=chat', async (page) => {
      await main(page).getByText('37.2 MB').waitFor();
      await main(page)
        .getByText(/not at the server yet/)
        .waitFor();
      await button(page, 'Ask the browser to keep it').click();
      await main(page)
        .getByText(/^The browser (said no for now|keeps it)/)
        .waitFor();
    }));

  test('[U95] everything is exported as one file, whole, and what is not in it is said', () =>
    visit('export', '/settings/storage?scene=chat', async (page) => {
      await main(page)
        .getByText(/Not in the file:/)
        .waitFor();
      const download = page.waitForEvent('download');
      await button(page, 'Export everything').click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('gsv-sam-2026-03-14.zip');
      const chunks: Buffer[] = await (await file.createReadStream()).toArray();
      expect(Buffer.concat(chunks).length).toBe(300_000);
      await main(page).getByText('gsv-sam-2026-03-14.zip, 293 KB, is in your downloads.').waitFor();
    }));

  test('[U98] a conversation is exported from its menu, by keyboard', () =>
    visit('export-conversation', '/?scene=chat', async (page) => {
      const menu = button(page, 'More about this conversation');
      await menu.press('Enter');
      await page.getByRole('menuitem', { name: 'Export as Markdown' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => menu.evaluate((element) => element === document.activeElement)).toBe(true);
      await menu.press('Enter');
      await page.keyboard.press('End');
      const download = page.waitForEvent('download');
      await page.keyboard.press('Enter');
      expect((await download).suggestedFilename()).toBe('nightly-build.json');
      expect(await calls(page, 'proc.export')).toEqual([{ pid: 'init:1000', format: 'json' }]);
    }));
});

describe('notifications', () => {
  test('[U97] the bell counts what is new; opening marks it as read, and each can be dismissed', () =>
    visit('bell', '/?scene=chat', async (page) => {
      await button(page, 'Notifications, 2 new').press('Enter');
      const rows = dialog(page).getByRole('list', { name: 'Notifications' }).getByRole('listitem');
      await expect.poll(() => rows.count()).toBe(3);
      await dialog(page).getByText('/home/sam/notes (Laptop, 14.05).md').waitFor();
      await expect.poll(() => button(page, 'Notifications').count()).toBe(1);
      await button(page, 'Dismiss “The receipts are sorted”').press('Enter');
      await expect.poll(() => rows.count()).toBe(2);
      await button(page, 'Dismiss all').click();
      await dialog(page).getByText('Nothing new.').waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
    }));

  test('[U97] what comes while the panel is open is read too', () =>
    visit('bell-live', '/?scene=empty', async (page) => {
      await button(page, 'Notifications').click();
      await dialog(page).getByText('Nothing new.').waitFor();
      await patchRow(page, 'notifications', 'n1', {
        notificationId: 'n1',
        title: 'The build is green',
        level: 'success',
        createdAt: Date.now(),
        readAt: null,
        dismissedAt: null,
        expiresAt: null,
        actions: [],
        source: { kind: 'user' },
      });
      await dialog(page).getByText('The build is green').waitFor();
      await expect.poll(() => calls(page, 'notification.mark_read')).toEqual([{ notificationId: 'n1' }]);
    }));
});

/** Adds up how far things move on the page while the steps are done; see `LayoutShift`. */
async function shiftDuring(page: Page, steps: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const shifts = window as unknown as { shift: number };
    shifts.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift' });
  });
  await steps();
  return page.evaluate(async () => {
    // What has moved is told after the frame in which it moved.
    for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (window as unknown as { shift: number }).shift;
  });
}

test('[U99] nothing moves when the state of the link changes, a code is drawn, or a notification comes', () =>
  visit('still', '//elsewhere/devices?scene=chat', async (page) => {
    await button(page, 'Synced').waitFor();
    const shift = await shiftDuring(page, async () => {
      for (const change of [
        { waiting: 12 },
        { link: 'offline', linkSince: 5 },
        { link: 'online', waiting: 0 },
      ])
        await patchRow(page, 'status', 'status', change);
      await patchRow(page, 'notifications', 'n-read', { readAt: null });
      await button(page, 'Notifications, 3 new').waitFor();
      await button(page, 'Add a browser').click();
      await dialog(page).getByRole('img', { name: 'The link as a QR code' }).waitFor();
    });
    expect(shift).toBeLessThan(0.005);
  }));
