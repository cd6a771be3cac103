import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { looksWell } from '../support/look.ts';
import { type Fixture, rowsInView, streamAndMeasure } from '../support/ui-fixture/in-page.ts';
import {
  button,
  calls,
  DESKTOP,
  log,
  type PageAlone,
  PHONE,
  startPageAlone,
} from '../support/ui-fixture/visit.ts';

/** The page alone: built as for production, under its strict policy, on a scripted kernel. */
let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());
const visit: PageAlone['visit'] = (...given) => alone.visit(...given);

const CLAIM = '#claim=a-long-enough-secret';

describe('conversation', () => {
  test('[U33] its parts have the names that people and tests rely on', () =>
    visit('names', '/?scene=chat', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await log(page).waitFor();
      for (const name of ['Send', 'Stop', 'Approve', 'Deny', 'Remember']) {
        await page.getByRole('button', { name }).waitFor();
        expect(await page.getByRole('button', { name }).count(), name).toBe(1);
      }
      for (const name of ['Chat', 'Processes', 'Devices', 'Settings']) {
        await page
          .getByRole('navigation', { name: 'Main' })
          .getByRole('link', { name, exact: true })
          .waitFor();
      }
    }));

  test('[U330] it is read and written in while what is looked up beside it has not come', () =>
    visit('beside', '/?scene=chat&hold=sys.config.get', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('in the meantime');
      await button(page, 'Send').click();
      expect(await calls(page, 'sys.config.get')).not.toEqual([]);
      expect(await calls(page, 'proc.send')).toMatchObject([{ message: 'in the meantime' }]);
    }));

  test('[U34] an approval shows command, target and reasons, and is answered by buttons or keys', () =>
    visit('approval', '/?scene=chat', async (page) => {
      const card = page.getByRole('region', { name: 'Approve this command?' });
      await card.getByText('rm -r /mnt/cache/17-11').waitFor();
      expect(await card.getByRole('listitem').allTextContents()).toEqual([
        'deletes',
        'may be outside the working folder',
      ]);
      await card.getByText('build-box').waitFor();
      await page.getByRole('textbox', { name: 'Message' }).fill('a');
      await page.keyboard.type('ad');
      expect(await calls(page, 'proc.hil')).toEqual([]);
      await log(page).focus();
      await page.keyboard.press('d');
      await card.waitFor({ state: 'detached' });
      expect(await calls(page, 'proc.hil')).toEqual([
        { pid: 'init:1000', requestId: 'hil-1', decision: 'deny' },
      ]);
    }));

  test('[U34] “Remember” approves and says what it will remember', () =>
    visit('remember', '/?scene=chat', async (page) => {
      await page.getByText('rm -r …').waitFor();
      await button(page, 'Remember').click();
      await button(page, 'Remember').waitFor({ state: 'detached' });
      expect(await calls(page, 'proc.hil')).toEqual([
        { pid: 'init:1000', requestId: 'hil-1', decision: 'approve', remember: true },
      ]);
    }));

  test('[U35] a message sent during a run is queued, edited in its place, and taken back', () =>
    visit('queue', '/?scene=chat', async (page) => {
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('and mail me the result');
      await box.press('Enter');
      const queued = page.getByRole('list', { name: 'Queued' }).getByRole('listitem');
      await expect.poll(() => queued.count()).toBe(2);
      expect(await box.inputValue()).toBe('');
      await queued.filter({ hasText: 'mail me' }).getByRole('button', { name: 'Edit' }).click();
      const field = page.getByRole('textbox', { name: 'Queued message' });
      await field.fill('and text me the result');
      await field.press('Enter');
      await queued.filter({ hasText: 'text me' }).getByRole('button', { name: 'Remove' }).click();
      await expect.poll(() => queued.count()).toBe(1);
    }));

  test('[U35] Shift and Enter begin a new line, and a draft outlives a reload of its own process only', () =>
    visit('draft', '/?scene=chat', async (page) => {
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('one');
      await box.press('Shift+Enter');
      await page.keyboard.type('two');
      await page.reload();
      await expect.poll(() => box.inputValue()).toBe('one\ntwo');
      await page
        .getByRole('navigation', { name: 'Conversations' })
        .getByRole('link', { name: /Every kind/ })
        .click();
      await expect.poll(() => box.inputValue()).toBe('');
    }));

  test('[U36] a streamed answer grows without moving what is read, stays at its end, and lets go when scrolled', () =>
    visit('stream', '/chat/task%3Aparts?scene=chat', async (page) => {
      await page.getByText('Then try the other compiler.').waitFor();
      const { gap, shift } = await page.evaluate(streamAndMeasure);
      expect(gap).toBeLessThan(24);
      expect(shift).toBeLessThan(0.01);
      await log(page).hover();
      await page.mouse.wheel(0, -600);
      await button(page, 'Jump to latest').click();
      await expect
        .poll(() =>
          log(page).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight),
        )
        .toBeLessThan(2);
    }));

  test('[U37] 10,000 messages open at their end, and any place of them is shown by a window of rows', () =>
    visit('long', '/chat/task%3Along?scene=chat', async (page) => {
      await log(page)
        .getByText(/^Step 9999 is done/)
        .waitFor();
      await log(page).focus();
      await expect
        .poll(
          async () => {
            await page.keyboard.press('Home');
            return (await page.evaluate(rowsInView)).places[0];
          },
          { timeout: 60_000 },
        )
        .toBe(0);
      expect((await calls(page, 'proc.history')).length).toBe(49);
      for (let part = 0; part < 20; part += 1) {
        await log(page).evaluate((element, share) => {
          element.scrollTop = element.scrollHeight * share;
        }, part / 20);
        await expect.poll(() => page.evaluate(rowsInView)).toMatchObject({ covered: true });
        const { places, entries } = await page.evaluate(rowsInView);
        const [first = Number.NaN] = places;
        expect(places, 'rows follow each other').toEqual(places.map((_, at) => first + at));
        expect(entries).toBeLessThan(80);
      }
      await button(page, 'Jump to latest').click();
      await expect.poll(async () => (await page.evaluate(rowsInView)).places.at(-1)).toBe(9_999);
    }));
});

describe('first run and sign-in', () => {
  test('[U39] the wizard makes the account, then a model and a device, each of which may be skipped', () =>
    visit('wizard', `/?scene=setup${CLAIM}`, async (page) => {
      await page.getByLabel('Username').fill('sam');
      await page.getByLabel('Password', { exact: true }).fill('correct horse');
      await page.getByLabel('Repeat the password').fill('wrong');
      await button(page, 'Create account').click();
      await page.getByText('This is not the same password.').waitFor();
      await page.getByLabel('Repeat the password').fill('correct horse');
      await button(page, 'Create account').click();
      await page.getByRole('heading', { name: 'A model' }).waitFor();
      await expect.poll(() => calls(page, 'sys.join')).toEqual([{ secret: 'a-long-enough-secret' }]);
      expect(new URL(page.url()).hash).toBe('');
      await button(page, 'Test').click();
      await page.getByText(/It answers, after/).waitFor();
      await button(page, 'Continue').click();
      await page.getByLabel('Name of the device').fill('laptop');
      await button(page, 'Make the line').click();
      await page.getByText(/--token-file gsv.token --id laptop/).waitFor();
      await page.getByText('Waiting for it to connect…').waitFor();
      await page.evaluate(() => {
        const row = {
          deviceId: 'laptop',
          online: true,
          connectedAt: 1,
          disconnectedAt: null,
          revoked: false,
          description: '',
          implements: [],
          lastSeenAt: 1,
          platform: '',
          version: '',
        };
        (window as unknown as Fixture).gsv.put('devices', { laptop: row });
      });
      await page.getByText('laptop is connected.').waitFor();
      await button(page, 'Begin').click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    }));

  test('[U40] a wrong password is said in words, and the right one opens the page', () =>
    visit('sign-in', '/?scene=signed-out', async (page) => {
      await page.getByLabel('Username').fill('sam');
      await page.getByLabel('Password').fill('wrong');
      await button(page, 'Sign in').click();
      await page.getByText('This name and password do not belong together.').waitFor();
      await page.getByLabel('Password').fill('correct horse');
      await button(page, 'Sign in').click();
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    }));
});

describe('pages', () => {
  test('[U41] a device says whether it is online, offline, revoked, or was never connected', () =>
    visit('devices', '/devices?scene=chat', async (page) => {
      const row = (name: string) =>
        page.getByRole('list', { name: 'Devices' }).getByRole('listitem').filter({ hasText: name });
      await row('build-box')
        .getByText(/^online since/)
        .waitFor();
      await row('old-laptop')
        .getByText(/^offline, last seen/)
        .waitFor();
      await row('old-phone')
        .getByText(/^revoked/)
        .waitFor();
      await row('tablet')
        .getByText(/^never connected/)
        .waitFor();
    }));

  test('[U354] a device that is away shows how it is started again; one that is shut out is paired again', () =>
    visit('start-again', '/devices?scene=chat', async (page) => {
      const row = (name: string) =>
        page.getByRole('list', { name: 'Devices' }).getByRole('listitem').filter({ hasText: name });
      await row('old-laptop').getByText('Start it again').click();
      await row('old-laptop').getByText('node gsv.mjs device run').waitFor();
      expect(await row('build-box').getByText('Start it again').count()).toBe(0);
      await button(page, 'Pair again: old-phone').click();
      await page.getByRole('dialog').getByText('--id old-phone').waitFor();
    }));

  test('[U310] a device that was added before the GSV was sealed says so, and gets a new line', () =>
    visit(
      'pair-again',
      '/devices?scene=chat',
      async (page) => {
        const nas = page
          .getByRole('list', { name: 'Devices' })
          .getByRole('listitem')
          .filter({ hasText: /^nas/ });
        await nas.getByText(/Added before this GSV was sealed/).waitFor();
        await looksWell(page, 'pair-again-devices');
        await button(page, 'Pair again: nas').press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Pair nas again' });
        await dialog.locator('code').filter({ hasText: '--id nas' }).waitFor();
        await dialog.getByText('Waiting for it to connect').waitFor();
        await looksWell(page, 'pair-again-dialog');
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      },
      { ...DESKTOP, bypassCSP: true },
    ));

  test('[U41] a browser that has not joined its server says how to', () =>
    visit('alone', '/devices?scene=alone', (page) => page.getByText(/Open the claim link/).waitFor()));

  test('[U311] where the provider is set, a sealed GSV says what its server may pass on, and what it could read then', () =>
    visit(
      'relay-switch',
      '/settings?scene=chat',
      async (page) => {
        const may = page.getByRole('checkbox', { name: 'The server may pass calls on to it' });
        await may.waitFor();
        expect(await may.isChecked()).toBe(false);
        await looksWell(page, 'relay-switch');
        await may.press('Space');
        const set = { key: 'users/1000/ai/relay', value: 'allowed' };
        await expect.poll(() => calls(page, 'sys.config.set')).toContainEqual(set);
        expect(await may.isChecked()).toBe(true);
      },
      { ...DESKTOP, bypassCSP: true },
    ));

  test('[U42] a stored key is never shown; a process ends only after a question', () =>
    visit('settings', '/settings?scene=chat', async (page) => {
      const key = page.getByLabel('API key');
      await expect.poll(() => key.getAttribute('placeholder')).toContain('A key is stored');
      expect(await key.inputValue()).toBe('');
      await page.getByRole('link', { name: 'Processes' }).click();
      await button(page, 'End Sort the scanned receipts').click();
      await page.keyboard.press('Escape');
      expect(await calls(page, 'proc.kill')).toEqual([]);
      await button(page, 'End Sort the scanned receipts').click();
      await button(page, 'End process').click();
      await expect.poll(() => calls(page, 'proc.kill')).toEqual([{ pid: 'task:receipts' }]);
    }));

  test('[U43] Ctrl+K finds and runs everything by keyboard, and Escape gives the focus back', () =>
    visit('palette', '/?scene=chat', async (page) => {
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.focus();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('devices');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    }));

  test('[U342] over the conversation, Escape closes the details of the run', () =>
    visit(
      'details-escape',
      '/?scene=chat',
      async (page) => {
        const opener = button(page, 'Details of the run');
        await opener.click();
        await page.getByRole('complementary', { name: 'Details of the run' }).waitFor();
        await opener.press('Escape');
        await expect.poll(() => opener.getAttribute('aria-expanded')).toBe('false');
      },
      PHONE,
    ));

  test('[U341] a conversation is renamed from its own menu', () =>
    visit('rename', '/?scene=chat', async (page) => {
      await button(page, 'More about this conversation').click();
      await page.getByRole('menuitem', { name: 'Rename…' }).click();
      const name = page.getByRole('dialog').getByLabel('Name');
      expect(await name.inputValue()).toBe('Why does the nightly build fail');
      await name.fill('The nightly');
      await name.press('Enter');
      const asked = { pid: 'init:1000', title: 'The nightly' };
      await expect.poll(() => calls(page, 'proc.conversation.open')).toMatchObject([asked]);
    }));

  test('[U340] every section of the settings is found by what is there, and what no name has is searched in messages', () =>
    visit('palette-search', '/?scene=chat', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      const box = page.getByRole('dialog').getByRole('combobox');
      await page.keyboard.press('Control+k');
      await box.fill('recovery');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Privacy' }).and(page.locator('[aria-current=page]')).waitFor();
      await page.keyboard.press('Control+k');
      await box.fill('umbrella');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Search messages' }).waitFor();
      await expect.poll(() => calls(page, 'proc.search')).toMatchObject([{ query: 'umbrella' }]);
    }));

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('[U72] a notice covers nothing: %s', (name, size) =>
    visit(
      `notice on a ${name}`,
      `/chat/task%3Aparts?scene=chat${CLAIM}`,
      async (page) => {
        const notice = page.getByRole('status').filter({ hasText: 'Joined' });
        await notice.waitFor();
        for (const part of [page.getByRole('main'), page.getByRole('navigation', { name: 'Main' })]) {
          expect(overlap(await notice.boundingBox(), await part.boundingBox())).toBe(false);
        }
        expect(await log(page).evaluate((element) => element.clientHeight)).toBeGreaterThan(300);
      },
      size,
    ),
  );

  test('[U44] a lost kernel is said, and a failed call too', () =>
    visit('lost', '/?scene=empty', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await page.evaluate(() => (window as unknown as Fixture).gsv.lose('failed', 'it closed'));
      await page.getByText(/GSV has stopped in this browser: it closed/).waitFor();
    }));
});

type Box = { x: number; y: number; width: number; height: number };

/** Whether two things share room on the screen; what is not there at all is a mistake of the test. */
function overlap(a: Box | null, b: Box | null): boolean {
  if (a === null || b === null) throw new Error('It is not on the screen');
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
