import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scrollsSideways, seriousProblems } from '../support/audit.ts';
import { button, DESKTOP, type PageAlone, PHONE, startPageAlone } from '../support/ui-fixture/visit.ts';

let alone: PageAlone;
beforeAll(async () => {
  alone = await startPageAlone();
});
afterAll(() => alone?.close());

const press = (name: string) => async (page: Page) => {
  await button(page, name).first().click();
};
const places: { name: string; path: string; open?: (page: Page) => Promise<void>; shown: string }[] = [
  { name: 'browsers', path: '/devices?scene=chat', shown: 'Old phone' },
  {
    name: 'a name being changed',
    path: '/devices?scene=chat',
    open: press('Rename Laptop'),
    shown: 'Browsers',
  },
  {
    name: 'a browser being added',
    path: '//elsewhere/devices?scene=chat',
    open: press('Add a browser'),
    shown: 'Make a new one',
  },
  {
    name: 'one added on localhost',
    path: '/devices?scene=chat',
    open: press('Add a browser'),
    shown: 'Other devices cannot reach',
  },
  { name: 'an invitation', path: '/?scene=setup#invite=gsv_join_x', shown: 'Open it here' },
  { name: 'an invitation that is of no use', path: '/?scene=chat#invite=gsv_join_x', shown: 'Go on with' },
  {
    name: 'a restore',
    path: '/?scene=setup',
    open: press('Restore from an exported file'),
    shown: 'New password',
  },
  {
    name: 'the other device',
    path: '/?scene=setup',
    open: press('I have GSV on another device'),
    shown: 'Scan the code',
  },
  { name: 'a shut out browser', path: '/?scene=locked', shown: 'was shut out' },
  { name: 'the server', path: '/?scene=alone', open: press('Only on this device'), shown: 'changes waiting' },
  { name: 'storage', path: '/settings/storage?scene=chat', shown: 'Export everything' },
  { name: 'a run elsewhere', path: '/?scene=gone', shown: 'Laptop is gone' },
  {
    name: 'the menu of a conversation',
    path: '/?scene=chat',
    open: press('More about this conversation'),
    shown: 'Export as JSON',
  },
  {
    name: 'notifications',
    path: '/?scene=chat',
    open: press('Notifications, 2 new'),
    shown: 'Dismiss all',
  },
];
const looks = [
  { ...DESKTOP, colorScheme: 'light' as const },
  { ...PHONE, colorScheme: 'dark' as const },
];

for (const options of looks)
  for (const { name, path, open, shown } of places)
    test(`[U100] axe finds nothing serious and nothing overflows: ${options.colorScheme}, ${options.viewport.width} px, ${name}`, () =>
      alone.visit(
        `access-${name}`,
        path,
        async (page) => {
          await open?.(page);
          await page.getByText(shown).first().waitFor();
          await page.waitForLoadState('networkidle');
          expect(await seriousProblems(page)).toEqual([]);
          expect(await scrollsSideways(page)).toBe(false);
        },
        { ...options, bypassCSP: true },
      ));
