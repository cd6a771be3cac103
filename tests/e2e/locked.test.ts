import { mkdirSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scrollsSideways, seriousProblems } from '../support/audit.ts';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { account, answered, say, World } from '../support/world.ts';

const SHOTS = process.env.SHOTS;
const PLANTED = 'the heron stands in the shallow water';

let world: World;
let page: Page;
let context: BrowserContext;

beforeAll(async () => {
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
  world = await World.start();
  world.model.respond(byWord);
  ({ page, context } = await world.open(undefined, undefined, { bypassCSP: true, reducedMotion: 'reduce' }));
  await withScreenshot(page, 'locked-set-up', async () => {
    await world.setUp(page);
    await say(page, PLANTED);
    await answered(page, `Heard: ${PLANTED}`);
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run), 60_000);
};

const password = (of = page) => of.getByLabel('Password', { exact: true });

async function unlock(text: string, of = page): Promise<void> {
  await password(of).fill(text);
  await of.getByRole('button', { name: 'Unlock', exact: true }).click();
}

async function openStorage(): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.getByRole('link', { name: 'Storage' }).click();
}

/** Everything that this browser stores for the page, as one text. */
function storedTexts(): Promise<string> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const texts: string[] = [];
    const latin = new TextDecoder('latin1');
    const note = (value: unknown): void => {
      if (value instanceof ArrayBuffer) texts.push(latin.decode(value));
      else if (ArrayBuffer.isView(value)) texts.push(latin.decode(value));
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(note);
      else texts.push(String(value));
    };
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        note(await done(database.transaction(store).objectStore(store).getAll()));
      database.close();
    }
    return texts.join('\n');
  });
}

/** At both widths: nothing serious is found, nothing overflows. */
async function looksRight(name: string): Promise<void> {
  for (const width of [390, 1360]) {
    await page.setViewportSize({ width, height: 860 });
    expect(await scrollsSideways(page)).toBe(false);
    expect(await seriousProblems(page)).toEqual([]);
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${width}.png` });
  }
}

step('[U305] the settings turn it on with the account’s password, and say what it means', async () => {
  await openStorage();
  await page.getByRole('button', { name: 'Ask for my password' }).click();
  await page.getByLabel('Your password').fill('something else');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('That is not your password.').waitFor();
  await page.getByRole('button', { name: 'Turn on' }).scrollIntoViewIfNeeded();
  await looksRight('turn-on');
  await page.getByLabel('Your password').fill(account.password);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('On: your password is asked for').waitFor();
  await page.getByRole('button', { name: 'Lock now' }).scrollIntoViewIfNeeded();
  await looksRight('on');
});

step(
  '[U306] locked, the page shows nothing but the question, a wrong password is said to be wrong, and the right one opens it',
  async () => {
    await page.getByRole('button', { name: 'Lock now' }).click();
    await page.getByRole('heading', { name: 'Locked' }).waitFor();
    expect(await page.getByText(PLANTED).count()).toBe(0);
    await looksRight('locked');
    await unlock('something else');
    await page.getByText('That is not the password that opens what this browser stores.').waitFor();
    await looksRight('wrong');
    expect(await storedTexts()).not.toContain('heron');
    await unlock(account.password);
    await page.getByRole('heading', { name: 'Ask for your password when GSV starts' }).waitFor();
    await page.goto(world.server.url);
    await unlock(account.password);
    await answered(page, `Heard: ${PLANTED}`);
  },
);

step('[U307] it is asked for at each start, once for all tabs, and what was going on goes on', async () => {
  await page.goto(`${world.server.url}/robots.txt`);
  await page.goto(world.server.url);
  await page.getByRole('heading', { name: 'Locked' }).waitFor();
  const second = await context.newPage();
  await second.goto(world.server.url);
  await second.getByRole('heading', { name: 'Locked' }).waitFor();
  await unlock(account.password, second);
  for (const one of [page, second]) await answered(one, `Heard: ${PLANTED}`);
  await second.close();
  await say(page, 'another one');
  await answered(page, 'Heard: another one');
});

step('[U308] it is locked from the palette by keyboard', async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lock now');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Locked' }).waitFor();
  await page.keyboard.type(account.password);
  await page.keyboard.press('Enter');
  await answered(page, 'Heard: another one');
});

step('[U305] turned off, it opens by itself again', async () => {
  await openStorage();
  await page.getByRole('button', { name: 'Stop asking' }).click();
  await page.getByLabel('Your password').fill(account.password);
  await page.getByRole('button', { name: 'Stop asking' }).click();
  await page.getByRole('button', { name: 'Ask for my password' }).waitFor();
  await page.goto(`${world.server.url}/robots.txt`);
  await page.goto(world.server.url);
  await answered(page, 'Heard: another one');
});

step(
  '[U309] whoever does not know the password any more gets an empty browser, after being told what is lost',
  async () => {
    await openStorage();
    await page.getByRole('button', { name: 'Ask for my password' }).click();
    await page.getByLabel('Your password').fill(account.password);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'Lock now' }).click();
    await page.getByRole('button', { name: 'I do not know the password' }).click();
    await page.getByText('What only this browser has is lost').waitFor();
    await looksRight('forgotten');
    await page.getByRole('button', { name: 'Remove GSV from this browser' }).click();
    await page.getByLabel('Repeat the password').waitFor();
    expect(await storedTexts()).not.toContain(account.username);
  },
);

test('[U306] where a leading tab runs the kernel, it is locked and opened the same way', async () => {
  const led = await World.start({ leader: true });
  try {
    led.model.respond(byWord);
    const { page: leading } = await led.open();
    await withScreenshot(leading, 'locked-leader', async () => {
      await led.setUp(leading);
      await say(leading, PLANTED);
      await answered(leading, `Heard: ${PLANTED}`);
      await leading.goto(`${led.server.url}/settings/storage`);
      await leading.getByRole('button', { name: 'Ask for my password' }).click();
      await leading.getByLabel('Your password').fill(account.password);
      await leading.getByRole('button', { name: 'Turn on' }).click();
      await leading.getByRole('button', { name: 'Lock now' }).click();
      await unlock('something else', leading);
      await leading.getByText('That is not the password').waitFor();
      await unlock(account.password, leading);
      await leading.getByRole('button', { name: 'Lock now' }).waitFor();
    });
  } finally {
    await led.stop();
  }
}, 60_000);
