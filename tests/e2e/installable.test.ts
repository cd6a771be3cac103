import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/audit.ts';
import { withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { kept, Profile } from '../support/profile.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

let world: World;
let page: Page;
const profile = new Profile();
beforeAll(async () => {
  world = await World.start();
  // A page of a private window is never installable, so this is an ordinary profile.
  const context = await profile.launch();
  page = context.pages()[0] ?? (await context.newPage());
  await page.goto(world.server.claimLink ?? world.server.url);
  await withScreenshot(page, 'installable-set-up', () => world.setUp(page));
  await kept(page);
});
afterAll(async () => {
  await profile.remove();
  await world.stop();
});

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

/** As a browser that would install the page says so. The answer of its person is `accepted`. */
function offerToInstall(): Promise<void> {
  return page.evaluate(() => {
    const offer = new Event('beforeinstallprompt', { cancelable: true });
    const asked = { prompt: async () => {}, userChoice: Promise.resolve({ outcome: 'dismissed' }) };
    window.dispatchEvent(Object.assign(offer, asked));
  });
}

step(
  '[U162] the browser finds nothing that keeps the page from being installed, and nothing wrong in its manifest',
  async () => {
    const session = await page.context().newCDPSession(page);
    expect((await session.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
    const { errors, data } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '{}');
    for (const { src } of [...manifest.icons, ...manifest.screenshots])
      expect([src, await page.evaluate(async (path) => (await fetch(path)).status, src)]).toEqual([src, 200]);
  },
);

step('[U163] installing is offered after GSV has answered, and not again once it was put off', async () => {
  const offer = page.getByText(/^Install GSV/);
  await offerToInstall();
  await page.waitForTimeout(300);
  expect(await offer.count()).toBe(0);
  world.model.enqueue(text('Hello.'));
  await say(page, 'hello');
  await answered(page, 'Hello.');
  // One thing at a time is offered.
  await page.getByText(/^Keep a recovery phrase/).waitFor();
  await page.getByRole('button', { name: 'Not now' }).click();
  await offer.waitFor();
  expect(await seriousProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Not now' }).click();
  await offer.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('log').getByText('Hello.').waitFor();
  await offerToInstall();
  await page.waitForTimeout(300);
  expect(await offer.count()).toBe(0);
  await page.goto(`${world.server.url}/settings/appearance`);
  await page.getByRole('heading', { name: 'As an app' }).waitFor();
  await offerToInstall();
  await page.getByRole('button', { name: 'Install', exact: true }).waitFor();
});

step(
  '[U164] what is shared with GSV becomes a draft and files once its person says so, and nothing before',
  async () => {
    const sharing = await page.context().newPage();
    await sharing.setContent(
      `<form method="post" action="${world.server.url}/share" enctype="multipart/form-data">
       <input name="text" value="look at this"><input type="file" name="files"><button>Share</button></form>`,
    );
    await sharing
      .locator('[type=file]')
      .setInputFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('milk\nbread\n') });
    await sharing.getByRole('button', { name: 'Share' }).click();
    await sharing.getByText('“list.txt” was shared with GSV.').waitFor();
    expect(await sharing.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
    await sharing.getByRole('button', { name: 'Add to the message' }).click();
    await expect
      .poll(() => sharing.getByRole('textbox', { name: 'Message' }).inputValue(), { timeout: 10_000 })
      .toMatch(/^look at this\nFile: \/home\/ada\/shared\/.+\/list\.txt$/);
    const draft = await sharing.getByRole('textbox', { name: 'Message' }).inputValue();
    const path = /File: (.+)$/.exec(draft)?.[1] ?? '';
    world.model.enqueue(tool('Read', { target: 'gsv', path }), text('Milk and bread.'));
    await sharing.getByRole('button', { name: 'Send' }).click();
    await answered(sharing, 'Milk and bread.');
    expect(toolResults(world.model).at(-1)).toContain('bread');
    await sharing.reload();
    await sharing.getByRole('log').getByText('Milk and bread.').waitFor();
    expect(await sharing.getByText('was shared with GSV').count()).toBe(0);
    await sharing.close();
  },
);
