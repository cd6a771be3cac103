import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE_HOST, hostileMarkdown } from '../support/hostile-markdown.ts';
import { inspectLog, runAxe } from '../support/ui-fixture/in-page.ts';
import { DESKTOP, log, type PageAlone, PHONE, startPageAlone } from '../support/ui-fixture/visit.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The page alone: built as for production, under its strict policy, on a scripted kernel. */
let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());
const visit: PageAlone['visit'] = (...given) => alone.visit(...given);

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

const views = [
  '/?scene=chat',
  '/chat/task%3Aparts?scene=chat',
  '/processes?scene=chat',
  '/processes?scene=tree',
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
  for (const options of [
    { ...DESKTOP, colorScheme: 'light' as const },
    { ...PHONE, colorScheme: 'dark' as const },
  ]) {
    for (const path of views) {
      test(`[U45] axe finds nothing serious: ${options.colorScheme}, ${options.viewport.width} px, ${path}`, () =>
        visit(
          `axe-${options.colorScheme}`,
          path,
          async (page) => {
            await page.waitForLoadState('networkidle');
            await page.addScriptTag({ path: axe });
            expect(await page.evaluate(runAxe)).toEqual([]);
            expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
          },
          // axe brings its own script, which the page's policy would refuse.
          { ...options, bypassCSP: true },
        ));
    }
  }
});
