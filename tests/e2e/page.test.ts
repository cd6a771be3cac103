import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  launchBrowser,
  type OpenPage,
  openPage,
  type PageOptions,
  withScreenshot,
} from '../support/browser.ts';
import { HOSTILE_HOST, hostileMarkdown } from '../support/hostile-markdown.ts';
import { type BuiltPage, buildPage } from '../support/ui-fixture/built-page.ts';

/** The page alone, built as for production, under its strict policy, on a scripted kernel. */
let built: BuiltPage;
let browser: Browser;
beforeAll(async () => {
  [built, browser] = await Promise.all([buildPage(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await built?.close();
});

const DESKTOP = { viewport: { width: 1360, height: 860 } };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

async function visit(
  name: string,
  path: string,
  steps: (page: Page, opened: OpenPage) => Promise<void>,
  options: PageOptions = DESKTOP,
) {
  const opened = await openPage(browser, built.url + path, {
    reducedMotion: 'reduce',
    bypassCSP: false,
    ...options,
  });
  await withScreenshot(opened.page, name, () => steps(opened.page, opened));
  expect(opened.problems).toEqual({ errors: [], violations: [], foreign: [] });
  await opened.context.close();
}

const log = (page: Page) => page.getByRole('log');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const calls = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as Fixture).gsv.calls
        .filter((call) => call.name === wanted)
        .map((call) => call.args),
    name,
  );
type Fixture = {
  gsv: {
    calls: { name: string; args: unknown }[];
    put(view: string, changes: Record<string, unknown>): void;
    stream(pid: string, pieces: string[], everyMs: number): Promise<void>;
    lose(attachment: string, reason: string): void;
  };
};

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

  test('[U34] an approval shows command, target and reasons, and is answered by buttons or keys', () =>
    visit('approval', '/?scene=chat', async (page) => {
      const card = page.getByRole('region', { name: 'Approve this command?' });
      await card.getByText('rm -r /mnt/cache/17-11').waitFor();
      expect(await card.getByRole('listitem').allTextContents()).toEqual([
        'deletes',
        'outside the working folder',
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

  test('[U35] a message sent during a run is queued, and can be taken back into the box', () =>
    visit('queue', '/?scene=chat', async (page) => {
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('and mail me the result');
      await box.press('Enter');
      const queued = page.getByRole('list', { name: 'Queued' }).getByRole('listitem');
      await expect.poll(() => queued.count()).toBe(2);
      expect(await box.inputValue()).toBe('');
      await queued.filter({ hasText: 'mail me' }).getByRole('button', { name: 'Edit' }).click();
      await expect.poll(() => box.inputValue()).toBe('and mail me the result');
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
      expect(gap).toBeLessThan(80);
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

  test('[U37] 10,000 messages open at their end, and are fetched as they are scrolled to', () =>
    visit('long', '/chat/task%3Along?scene=chat', async (page) => {
      await log(page)
        .getByText(/^Step 9999 is done/)
        .waitFor();
      expect(await log(page).evaluate((element) => element.querySelectorAll('.entry').length)).toBeLessThan(
        80,
      );
      await log(page).hover();
      const frames = page.evaluate(measureFrames, 3_000);
      for (let turn = 0; turn < 100; turn += 1) {
        await page.mouse.wheel(0, -900);
        await page.waitForTimeout(20);
      }
      // A machine that does other work at the same time loses a frame now and then, whoever draws it.
      expect((await frames).filter((ms) => ms > 50).length).toBeLessThanOrEqual(2);
      expect((await calls(page, 'proc.history')).length).toBeGreaterThan(1);
    }));
});

describe('hostile text', () => {
  test('[U38] none of it runs, reaches the network, or leaves a dangerous element in the page', () =>
    visit('hostile', '/chat/task%3Ahostile?scene=chat', async (page, { problems }) => {
      await log(page).getByText('deep', { exact: true }).waitFor();
      const seen = new Set<string>();
      for (let step = 0; step < 60; step += 1) {
        const { harm, keys, top } = await page.evaluate(inspectLog);
        expect(harm).toEqual([]);
        for (const key of keys) seen.add(key);
        if (top <= 0) break;
        await page.evaluate(() => {
          const element = document.querySelector('[role=log]');
          element?.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
          if (element) element.scrollTop -= 400;
        });
        await page.waitForTimeout(40);
      }
      expect(seen.size).toBeGreaterThan(40);
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
      expect(problems.foreign.filter((url) => url.includes(HOSTILE_HOST))).toEqual([]);
      expect(hostileMarkdown.length).toBeGreaterThanOrEqual(60);
    }));
});

describe('first run and sign-in', () => {
  test('[U39] the wizard makes the account, then a model and a device, each of which may be skipped', () =>
    visit('wizard', '/?scene=setup#claim=a-long-enough-secret', async (page) => {
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

  test('[U41] a browser that has not joined its server says how to', () =>
    visit('alone', '/devices?scene=alone', (page) => page.getByText(/Open the claim link/).waitFor()));

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
      await page.getByRole('combobox').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('devices');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
    }));

  test('[U44] a lost kernel is said, and a failed call too', () =>
    visit('lost', '/?scene=empty', async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await page.evaluate(() => (window as unknown as Fixture).gsv.lose('failed', 'it closed'));
      await page.getByText(/The kernel of this page is gone: it closed/).waitFor();
    }));
});

const views = [
  '/?scene=chat',
  '/chat/task%3Aparts?scene=chat',
  '/processes?scene=chat',
  '/devices?scene=alone',
  '/devices?scene=chat',
  '/settings?scene=chat',
  '/settings/tokens?scene=chat',
  '/settings/approvals?scene=chat',
  '/settings/account?scene=offline',
  '/?scene=setup',
  '/?scene=signed-out',
  '/?scene=empty',
];

describe('access', () => {
  for (const colorScheme of ['dark', 'light'] as const) {
    for (const [size, options] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      test(`[U45] axe finds nothing serious, ${colorScheme}, ${size}`, async () => {
        for (const path of views) {
          // axe brings its own script, which the page's policy would refuse.
          const options_ = { ...options, colorScheme, bypassCSP: true };
          await visit(
            `axe-${colorScheme}-${size}`,
            path,
            async (page) => {
              await page.waitForLoadState('networkidle');
              await page.addScriptTag({ path: axe });
              expect(await page.evaluate(runAxe), path).toEqual([]);
              expect(
                await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                path,
              ).toBe(true);
            },
            options_,
          );
        }
      });
    }
  }
});

async function runAxe(): Promise<string[]> {
  const { axe } = window as unknown as {
    axe: {
      run(): Promise<{
        violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    };
  };
  const { violations } = await axe.run();
  const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return bad.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
  );
}

/** What must not be in the log, whichever text it came from. */
function inspectLog(): { harm: string[]; keys: string[]; top: number } {
  const element = document.querySelector('[role=log]');
  if (element === null) return { harm: ['no log'], keys: [], top: 0 };
  const harm: string[] = [];
  const keys: string[] = [];
  for (const answer of element.querySelectorAll('.answer')) {
    keys.push(answer.textContent ?? '');
    for (const child of answer.querySelectorAll('*')) {
      if (
        /^(?:script|iframe|object|embed|form|input|style|link|meta|base|svg|math|video|audio|source|template|details)$/i.test(
          child.tagName,
        )
      )
        harm.push(child.outerHTML);
      for (const { name, value } of child.attributes) {
        if (/^on|^style$|^srcset$|^id$|^name$|formaction/.test(name)) harm.push(child.outerHTML);
        if (name === 'href' && !/^(?:https?|mailto):/.test(value)) harm.push(child.outerHTML);
        if (name === 'src' && !value.startsWith('data:image/')) harm.push(child.outerHTML);
      }
      if (child.matches('a[href]:not([rel="noopener noreferrer"][target="_blank"])'))
        harm.push(child.outerHTML);
      if (child.matches('a.button')) harm.push(child.outerHTML);
    }
    if (/[\u202a-\u202e\u2066-\u2069]/.test(answer.textContent ?? ''))
      harm.push(`reorders: ${answer.textContent}`);
  }
  return { harm, keys, top: element.scrollTop };
}

async function streamAndMeasure(): Promise<{ gap: number; shift: number }> {
  const element = document.querySelector('[role=log]');
  if (element === null) throw new Error('There is no log.');
  let shift = 0;
  let gap = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
  });
  observer.observe({ type: 'layout-shift' });
  const timer = setInterval(() => {
    gap = Math.max(gap, element.scrollHeight - element.scrollTop - element.clientHeight);
  }, 20);
  const pieces = Array.from({ length: 80 }, (_, place) =>
    place % 17 === 16 ? '\n\n' : `word ${place} and some more `,
  );
  await (window as unknown as { gsv: Fixture['gsv'] }).gsv.stream(
    'task:parts',
    [...pieces, '\n\n```ts\nconst a = 1;\n', 'const b = 2;\n```\n'],
    10,
  );
  await new Promise((resolve) => setTimeout(resolve, 400));
  clearInterval(timer);
  observer.disconnect();
  return { gap, shift };
}

/** The lengths of the frames of some time, in milliseconds. */
async function measureFrames(during: number): Promise<number[]> {
  const frames: number[] = [];
  const begun = performance.now();
  let last = begun;
  while (last - begun < during) {
    const now = await new Promise<number>((resolve) =>
      requestAnimationFrame(() => resolve(performance.now())),
    );
    frames.push(now - last);
    last = now;
  }
  return frames;
}
