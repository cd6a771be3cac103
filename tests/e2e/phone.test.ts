import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button, dialog, type PageAlone, startPageAlone } from '../support/ui-fixture/visit.ts';

/** The page alone, on a scripted kernel, in the sizes of phones. */
let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());
const visit: PageAlone['visit'] = (...given) => alone.visit(...given);

const phone = (width: number, height = 780) => ({
  viewport: { width, height },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
});
const views = [
  '/?scene=chat',
  '/chat/task%3Aparts?scene=chat',
  '/processes?scene=chat',
  '/devices?scene=chat',
  '/settings?scene=chat',
  '/settings/approvals?scene=chat',
  '/settings/tokens?scene=chat',
  '/settings/storage?scene=chat',
  '/settings/appearance?scene=chat',
  '/settings/usage?scene=chat',
  '/settings/account?scene=chat',
  '/schedules?scene=chat',
  '/?scene=setup',
  '/?scene=signed-out',
];

/** What can be pressed and is smaller than a fingertip either way; links in the middle of a text are as high as it is. */
function smallTargets(): string[] {
  const LEAST = 40;
  const small: string[] = [];
  for (const element of document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role=menuitem]',
  )) {
    const target = element.matches('input[type=radio], input[type=checkbox]')
      ? (element.closest('label') ?? element)
      : element;
    const { width, height } = target.getBoundingClientRect();
    const hidden = width === 0 || height === 0 || !element.checkVisibility({ visibilityProperty: true });
    const inText = element.matches('p a, li a, td a, .answer a, .skip');
    if (!hidden && !inText && (width < LEAST - 0.5 || height < LEAST - 0.5))
      small.push(`${element.outerHTML.slice(0, 120)} ${Math.round(width)}×${Math.round(height)}`);
  }
  return small;
}

/** What can be pressed and is not wholly in the window sideways, nor in anything that scrolls that way. */
function cutOff(): string[] {
  const scrolls = (element: Element | null): boolean =>
    element !== null &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < -0.5 || right > window.innerWidth + 0.5) && !scrolls(element.parentElement);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

const settled = (page: Page): Promise<void> => page.waitForLoadState('networkidle');
const sideways = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** The page in another size, once it has been drawn in it. */
async function resize(page: Page, width: number, height = 780): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
}

describe('sizes', () => {
  for (const path of views)
    test(`[U166] on phones of 360, 390 and 430 px nothing overflows, and what can be pressed is at least 40 px large: ${path}`, () =>
      visit(
        'phone',
        path,
        async (page) => {
          await settled(page);
          for (const width of [360, 390, 430]) {
            await resize(page, width);
            expect([width, await page.evaluate(smallTargets)]).toEqual([width, []]);
            expect([width, await sideways(page)]).toEqual([width, false]);
            expect([width, await page.evaluate(cutOff)]).toEqual([width, []]);
          }
          // As a browser lays out a phone of 390 px at 200 %.
          await resize(page, 195, 422);
          expect(await sideways(page), '[U167] with text twice as large').toBe(false);
        },
        phone(360),
      ));

  test('[U167] with text twice as large the message box is usable', () =>
    visit(
      'phone-large',
      '/?scene=chat',
      async (page) => {
        const box = page.getByRole('textbox', { name: 'Message' });
        await box.fill('a message that is longer than one line of this small window');
        const { bottom } = await box.evaluate((element) => element.getBoundingClientRect());
        expect(bottom).toBeLessThanOrEqual(422);
        await page.getByRole('button', { name: 'Send' }).click({ trial: true });
      },
      phone(195, 422),
    ));
});

describe('going back', () => {
  test('[U168] it closes what lies over the page, the uppermost first, and only then leaves the view', () =>
    visit(
      'phone-back',
      '/devices?scene=chat',
      async (page) => {
        await page.getByRole('link', { name: 'Processes' }).click();
        await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
        await page.getByRole('button', { name: /^Notifications/ }).click();
        await dialog(page).waitFor();
        await page.goBack();
        await dialog(page).waitFor({ state: 'detached' });
        expect(new URL(page.url()).pathname).toBe('/processes');
        await page.goBack();
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      },
      phone(390),
    ));

  test('[U168] what is closed by hand leaves nothing behind, nor does what leads to another place', () =>
    visit(
      'phone-back-hand',
      '/devices?scene=chat',
      async (page) => {
        await page.getByRole('link', { name: 'Chat', exact: true }).click();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
        await page.getByRole('button', { name: /^Notifications/ }).click();
        await button(page, 'Close').click();
        await dialog(page).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Conversations' }).click();
        await dialog(page)
          .getByRole('link', { name: /Every kind of message/ })
          .click();
        await dialog(page).waitFor({ state: 'detached' });
        await expect.poll(() => new URL(page.url()).pathname).toBe('/chat/task%3Aparts');
        await page.goBack();
        await expect.poll(() => new URL(page.url()).pathname).not.toBe('/chat/task%3Aparts');
        await page.goBack();
        await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
      },
      phone(390),
    ));
});

describe('interrupted', () => {
  test('[U169] killed at any moment, the app comes back where it was, with what was being written', () =>
    visit(
      'phone-killed',
      '/chat/task%3Aparts?scene=chat',
      async (page, { context }) => {
        const box = (on: Page) => on.getByRole('textbox', { name: 'Message' });
        const { origin } = new URL(page.url());
        await box(page).fill('half a thou');
        await page.goto('about:blank');
        const again = await context.newPage();
        // The driver of these pages cannot open one as an app.
        await again.addInitScript(() => {
          const real = window.matchMedia.bind(window);
          window.matchMedia = (query) => real(query.includes('display-mode') ? 'all' : query);
        });
        await again.goto(origin);
        await box(again).waitFor();
        expect(new URL(again.url()).pathname).toBe('/chat/task%3Aparts');
        expect(await box(again).inputValue()).toBe('half a thou');
      },
      phone(390),
    ));

  test('[U170] the page cannot be pulled away, and keeps above what the browser lays over it', () =>
    visit(
      'phone-pull',
      '/?scene=chat',
      async (page) => {
        const pulls = await page.evaluate(() =>
          [document.documentElement, document.body].map(
            (element) => getComputedStyle(element).overscrollBehaviorY,
          ),
        );
        expect(pulls).toEqual(['none', 'none']);
        const content = await page.evaluate(
          () => document.querySelector<HTMLMetaElement>('meta[name=viewport]')?.content ?? '',
        );
        expect(content).toContain('viewport-fit=cover');
        expect(content).toContain('interactive-widget=resizes-content');
      },
      phone(390),
    ));
});
