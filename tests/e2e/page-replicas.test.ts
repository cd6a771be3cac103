import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fixture } from '../support/ui-fixture/in-page.ts';
import {
  button,
  calls,
  dialog,
  type PageAlone,
  patchRow,
  startPageAlone,
} from '../support/ui-fixture/visit.ts';

/** The page alone, on a scripted kernel: what several browsers of one GSV need of it. */
let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());
const visit: PageAlone['visit'] = (...given) => alone.visit(...given);

const browserNamed = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Browsers' }).getByRole('listitem').filter({ hasText: name });

describe('browsers', () => {
  test('[U80] the devices page lists the browsers: this one first, each with what is known of it', () =>
    visit('browsers', '/devices?scene=chat', async (page) => {
      const rows = page.getByRole('list', { name: 'Browsers' }).getByRole('listitem');
      await expect
        .poll(async () => (await rows.allTextContents()).map((text) => text.split('Rename')[0]))
        .toEqual(['Desk', 'Laptop', 'Phone', expect.stringContaining('Old phone')]);
      await browserNamed(page, 'Desk')
        .getByText(/this browser · .* · stores 46\.1 MB/)
        .waitFor();
      await browserNamed(page, 'Old phone')
        .getByText(/^shut out/)
        .waitFor();
      expect(await button(page, 'Shut out Desk').count()).toBe(0);
    }));

  test('[U81] a browser is renamed in its place, by keyboard, and Escape leaves its name as it was', () =>
    visit('rename', '/devices?scene=chat', async (page) => {
      await button(page, 'Rename Laptop').press('Enter');
      const field = page.getByRole('textbox', { name: 'Name of Laptop' });
      await page.keyboard.type('Kitchen');
      await field.press('Escape');
      expect(await calls(page, 'sys.replica.update')).toEqual([]);
      await expect
        .poll(() => button(page, 'Rename Laptop').evaluate((element) => element === document.activeElement))
        .toBe(true);
      await page.keyboard.press('Enter');
      await page.keyboard.type('Kitchen');
      await field.press('Enter');
      await button(page, 'Rename Kitchen').waitFor();
      expect(await calls(page, 'sys.replica.update')).toEqual([{ replicaId: 'r-laptop', name: 'Kitchen' }]);
    }));

  test('[U81] a browser is shut out only after a question that says what happens', () =>
    visit('shut-out', '/devices?scene=chat', async (page) => {
      await button(page, 'Shut out Laptop').click();
      await dialog(page)
        .getByText(/closes within a second, and it gets no more changes/)
        .waitFor();
      await page.keyboard.press('Escape');
      expect(await calls(page, 'sys.replica.revoke')).toEqual([]);
      await button(page, 'Shut out Laptop').click();
      await dialog(page).getByRole('button', { name: 'Shut out' }).click();
      await browserNamed(page, 'Laptop')
        .getByText(/^shut out now/)
        .waitFor();
    }));
});

describe('adding a browser', () => {
  test('[U82] a code and a link are shown with the time that is left, and the newcomer is announced', () =>
    visit('add', '//elsewhere/devices?scene=chat', async (page) => {
      await button(page, 'Add a browser').click();
      await dialog(page).getByRole('img', { name: 'The link as a QR code' }).waitFor();
      const link = await dialog(page).getByRole('group', { name: 'The link' }).innerText();
      expect(link).toMatch(/^http:\/\/gsv\.test:\d+\/#invite=gsv_join_/);
      await dialog(page)
        .getByText(/^(10:00|9:5\d)$/)
        .waitFor();
      await button(page, 'Make a new one').click();
      await expect
        .poll(() => dialog(page).getByRole('group', { name: 'The link' }).innerText())
        .not.toBe(link);
      await patchRow(page, 'replicas', 'r-new', {
        replicaId: 'r-new',
        name: 'Tablet',
        platform: 'Safari on iPadOS',
        here: false,
        online: true,
        lastSeenAt: null,
        joinedAt: Date.now(),
        revokedAt: null,
        storage: null,
      });
      await dialog(page).getByRole('status').filter({ hasText: 'Tablet joined' }).waitFor();
      await dialog(page).getByRole('button', { name: 'Rename Tablet' }).press('Enter');
      await page.keyboard.type('Couch');
      await page.keyboard.press('Enter');
      await dialog(page).getByText('Couch joined').waitFor();
      await button(page, 'Done').click();
      await browserNamed(page, 'Couch').waitFor();
    }));

  test('[U82] a link whose time is over says so', () =>
    visit('expired', '/devices?scene=chat', async (page) => {
      await page.evaluate(() => {
        (window as unknown as Fixture).gsv.inviteMs = 30;
      });
      await button(page, 'Add a browser').click();
      await dialog(page).getByText('This link has expired.').waitFor();
      await button(page, 'Make a new one').waitFor();
    }));

  test('[U83] on an address of this computer only it says what to do, and shows no code that leads nowhere', () =>
    visit('localhost', '/devices?scene=chat', async (page) => {
      await button(page, 'Add a browser').click();
      await dialog(page).getByText('Other devices cannot reach localhost.').waitFor();
      await dialog(page)
        .getByText(/^npm start -- --public-url/)
        .waitFor();
      expect(await dialog(page).getByRole('img').count()).toBe(0);
    }));

  test('[U332] there the address for other devices is typed once; code and link begin with it, and it is kept', () =>
    visit('reached-at', '/devices?scene=chat', async (page) => {
      await button(page, 'Add a browser').click();
      const address = dialog(page).getByLabel('Address of this server');
      await address.fill('http://192.168.1.20:1999');
      await button(page, 'Use it').click();
      await dialog(page)
        .getByText(/needs HTTPS/)
        .waitFor();
      await address.fill('https://gsv.example.org/');
      await address.press('Enter');
      await dialog(page).getByRole('img', { name: 'The link as a QR code' }).waitFor();
      const link = dialog(page).getByRole('group', { name: 'The link' });
      expect(await link.innerText()).toMatch(/^https:\/\/gsv\.example\.org\/#invite=gsv_join_/);
      await page.reload();
      await button(page, 'Add a browser').click();
      expect(await link.innerText()).toMatch(/^https:\/\/gsv\.example\.org\//);
    }));

  test('[U333] at the address of a server that has a GSV nobody begins another one unknowingly', () =>
    visit('owned', '/?scene=setup', async (page) => {
      await page.route('**/health', (route) => route.fulfill({ json: { ok: true, claimed: true } }));
      await page.reload();
      await page.getByText(/has a GSV already/).waitFor();
      await button(page, 'Bring my GSV here').click();
      await page.getByRole('heading', { name: 'GSV on another device' }).waitFor();
    }));

  test('[U83] without its server no link is made; it is made as soon as the server is back', () =>
    visit('add-offline', '/devices?scene=offline', async (page) => {
      await button(page, 'Add a browser').click();
      await dialog(page)
        .getByText(/^The server cannot be reached/)
        .waitFor();
      expect(await calls(page, 'sys.invite.create')).toEqual([]);
      await patchRow(page, 'status', 'status', { link: 'online', linkSince: null });
      await dialog(page).getByRole('group', { name: 'The link' }).waitFor();
      expect(await calls(page, 'sys.invite.create')).toHaveLength(1);
    }));

  test('[U83] a browser that is on its own is led to its server first', () =>
    visit('add-alone', '/devices?scene=alone', async (page) => {
      await button(page, 'Add a browser').click();
      await dialog(page)
        .getByText(/Open the claim link/)
        .waitFor();
    }));
});

describe('opening an invitation', () => {
  test('[U84] one button opens the GSV here, and the secret leaves the address bar at once', () =>
    visit('join', '/?scene=setup#invite=gsv_join_fine', async (page) => {
      await page.getByRole('heading', { name: 'Open your GSV here' }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      expect(await calls(page, 'sys.join')).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('progressbar', { name: 'Fetching your GSV' }).waitFor();
      await page.getByText('12 of 40 documents…').waitFor();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      expect(await calls(page, 'sys.join')).toEqual([{ secret: 'gsv_join_fine' }]);
    }));

  for (const { secret, title, again } of [
    { secret: 'gsv_join_used', title: 'This link was used already', again: false },
    { secret: 'gsv_join_expired', title: 'This link has expired', again: false },
    { secret: 'gsv_join_away', title: 'The server cannot be reached', again: true },
    { secret: 'gsv_join_held', title: 'This browser already holds a GSV', again: false },
  ])
    test(`[U85] a link that does not work says why: ${title}`, () =>
      visit(`join-${secret}`, `/?scene=setup#invite=${secret}`, async (page) => {
        await button(page, 'Open it here').click();
        await page.getByRole('heading', { name: title }).waitFor();
        expect(await button(page, 'Try again').count()).toBe(again ? 1 : 0);
      }));

  test('[U86] a browser that holds a GSV says what to do, asks nothing of the server, and goes on', () =>
    visit('held', '/?scene=chat', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await page.evaluate(() => {
        location.hash = '#invite=gsv_join_fine';
      });
      await page.getByRole('heading', { name: 'This browser already holds a GSV' }).waitFor();
      await page.getByText(/Export everything/).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await button(page, 'Go on with what is here').click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      expect(await calls(page, 'sys.join')).toEqual([]);
    }));
});

describe('an empty browser', () => {
  test('[U88] the first screen tells how a GSV comes from another device, and leads back', () =>
    visit('other-device', '/?scene=setup', async (page) => {
      await button(page, 'I have GSV on another device').click();
      await page.getByText(/Scan the code with this device/).waitFor();
      await button(page, 'Back').click();
      await page.getByLabel('Username').waitFor();
    }));

  test('[U87] an exported file is restored under a new password, and it is said what is still to be done', () =>
    visit('restore', '/?scene=setup', async (page) => {
      await button(page, 'Restore from an exported file').click();
      await page.getByLabel('Exported file').setInputFiles({
        name: 'gsv.zip',
        mimeType: 'application/zip',
        buffer: Buffer.alloc(3_000_000),
      });
      await page.getByText('2.9 MB').waitFor();
      await page.getByLabel('New password').fill('short');
      await button(page, 'Restore').click();
      await page.getByText('At least 8 characters.').waitFor();
      await page.getByLabel('New password').fill('the disk is full');
      await button(page, 'Restore').click();
      await page.getByText(/^There is not enough room for it here: .*Nothing was changed\.$/).waitFor();
      await page.getByLabel('New password').fill('correct horse');
      await button(page, 'Restore').click();
      await page.getByText('3,412 messages and 120 files of sam are here.').waitFor();
      await page.getByText(/The key of your model provider/).waitFor();
      expect(await page.evaluate(() => (window as unknown as Fixture).gsv.received)).toEqual([
        3_000_000, 3_000_000,
      ]);
      expect(await calls(page, 'sys.import')).toContainEqual({
        size: 3_000_000,
        password: 'correct horse',
        sealed: true,
      });
      await button(page, 'Open it').click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    }));
});
