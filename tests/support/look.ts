import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { scrollsSideways, seriousProblems } from './audit.ts';

export const DESKTOP = { width: 1360, height: 860 };
export const PHONE = { width: 390, height: 844 };
/** The narrowest phone. */
const NARROW = { width: 360, height: 740 };
/** Where pictures are kept, if somebody wants to see them. */
const SHOTS = process.env.SHOTS;

type Look = { on: string; size: typeof DESKTOP; colorScheme: 'light' | 'dark' };
const looks: readonly Look[] = [
  { on: 'desktop', size: DESKTOP, colorScheme: 'light' },
  { on: 'phone', size: PHONE, colorScheme: 'light' },
  { on: 'phone-dark', size: PHONE, colorScheme: 'dark' },
  { on: 'desktop-dark', size: DESKTOP, colorScheme: 'dark' },
];

/** In every look nothing is wider than its window. The page is left as wide as a desktop. */
export async function fits(page: Page, name: string): Promise<void> {
  await inEveryLook(page, name, async () => {});
}

/** As `fits`, and nothing serious for axe. */
export async function looksWell(page: Page, name: string): Promise<void> {
  await inEveryLook(page, name, async (on) => {
    expect(await seriousProblems(page), `${name}, ${on}`).toEqual([]);
  });
}

async function inEveryLook(page: Page, name: string, check: (on: string) => Promise<void>): Promise<void> {
  for (const { on, size, colorScheme } of looks) {
    await page.setViewportSize(size);
    // Without motion no colour is on its way from one look to the next.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${on}.png` });
    await check(on);
  }
  await page.emulateMedia({ reducedMotion: null });
  await page.setViewportSize(NARROW);
  expect(await scrollsSideways(page), name).toBe(false);
  await page.setViewportSize(DESKTOP);
}
