import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { scrollsSideways, seriousProblems } from './audit.ts';

export const DESKTOP = { width: 1360, height: 860 };
export const PHONE = { width: 390, height: 844 };
const SIZES = [
  [PHONE, 'phone'],
  [DESKTOP, 'desktop'],
] as const;
/** Where pictures are kept, if somebody wants to see them. */
const SHOTS = process.env.SHOTS;

/** In both sizes: nothing that is wider than its window. The page is left as wide as a desktop. */
export async function fits(page: Page, name: string): Promise<void> {
  await inBothSizes(page, name, async () => {});
}

/** As `fits`, and nothing serious for axe. */
export async function looksWell(page: Page, name: string): Promise<void> {
  await inBothSizes(page, name, async (on) => {
    expect(await seriousProblems(page), `${name}, ${on}`).toEqual([]);
  });
}

async function inBothSizes(page: Page, name: string, check: (on: string) => Promise<void>): Promise<void> {
  for (const [size, on] of SIZES) {
    await page.setViewportSize(size);
    await check(on);
    expect(await scrollsSideways(page), `${name}, ${on}`).toBe(false);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${on}.png`, fullPage: true });
  }
}
