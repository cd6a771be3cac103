import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { hostileFrames } from '../support/hostile-frames.ts';
import { HOSTILE_HOST, hostileMarkdown } from '../support/hostile-markdown.ts';
import { attackKernel, countAttachments, rememberKernel } from '../support/kernel-attack.ts';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

const CASES_PER_MESSAGE = 10;
const MALFORMED = 2_000;
const SEED = 20_261_121;
/** Characters that draw what follows in another order. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;
/** Chromium's own record of every request of its pages and workers. */
const logs = mkdtempSync(join(tmpdir(), 'gsv-net-'));
const netLog = join(logs, 'net.json');

let world: World;
let open: OpenPage;
let page: Page;
/** Dialogs, other pages and other addresses that the hostile text brought up. */
const effects: string[] = [];

beforeAll(async () => {
  world = await World.start({ browserArgs: [`--log-net-log=${netLog}`] });
  open = await world.open();
  page = open.page;
  await page.addInitScript(rememberKernel);
  await page.reload();
  await withScreenshot(page, 'hostile-set-up', () => world.setUp(page));
  page.on('dialog', (dialog) => {
    effects.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => effects.push(`page: ${popup.url()}`));
  page.on('framenavigated', (frame) => effects.push(`address: ${frame.url()}`));
});
afterAll(async () => {
  await world.stop();
  rmSync(logs, { recursive: true });
});

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

const messages: string[] = [];
for (let at = 0; at < hostileMarkdown.length; at += CASES_PER_MESSAGE) {
  const cases = hostileMarkdown.slice(at, at + CASES_PER_MESSAGE);
  messages.push(cases.map(({ source }) => source).join('\n\n'));
}

async function expectNoEffect(): Promise<void> {
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  expect(effects).toEqual([]);
  expect(open.problems).toEqual({ errors: [], violations: [], foreign: [] });
}

step('[U61] nothing in a hostile answer of the model runs, opens or asks the network', async () => {
  for (const [at, hostile] of messages.entries()) {
    world.model.enqueue(
      tools([{ name: 'Read', args: { target: 'gsv', path: '/home/ada' } }], { text: hostile, chunk: 200 }),
      text(`seen ${at}`),
    );
    await say(page, `say ${at}`);
    await answered(page, `seen ${at}`);
  }
  // The one text with everything: what one case leaves open reaches into the others.
  world.model.enqueue(text(hostileMarkdown.map(({ source }) => source).join('\n')), text('all seen'));
  await say(page, messages.join('\n'));
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await say(page, 'and?');
  await answered(page, 'all seen');
  await expectNoEffect();
});

step(
  '[U62] nothing in a hostile command, file or result runs, and what would deceive is shown by number',
  async () => {
    const everything = hostileMarkdown.map(({ source }) => source).join('\n');
    const path = '/home/ada/<img src=x onerror=window.pwned=1>.md';
    const command = `rm -rf '\u202Egpj.exe\u202C <img src=x onerror=window.pwned=1>'`;
    world.model.enqueue(
      tools([{ name: 'Write', args: { target: 'gsv', path, content: everything } }]),
      tools([{ name: 'Read', args: { target: 'gsv', path } }]),
      tool('Shell', { target: 'gsv', input: command }),
      text('not removed'),
    );
    await say(page, 'write it down');
    const card = page.getByRole('region', { name: 'Approve this command?' });
    await card.waitFor();
    expect(await card.innerText()).toContain('⟦U+202E⟧gpj.exe');
    expect(await card.innerText()).not.toMatch(REORDERING);
    await page.getByRole('button', { name: 'Deny' }).click();
    await answered(page, 'not removed');
    expect(toolResults(world.model).join()).toContain('window.pwned=1');
    const closed = page.locator('details.call:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().press('Enter');
    expect(await page.getByRole('log').innerText()).not.toMatch(REORDERING);
    await expectNoEffect();
  },
);

step('[U65] a page attaches to its kernel once', async () => {
  expect(await page.evaluate(countAttachments)).toBe(1);
});

step('[U63] 2,000 malformed messages at the port of the kernel have no effect', async () => {
  const frames = hostileFrames(SEED, MALFORMED).map((frame) =>
    typeof frame === 'string' ? { text: frame } : { bytes: [...frame] },
  );
  const { sent, welcomes, accepted } = await page.evaluate(attackKernel, frames);
  expect(sent).toBe(MALFORMED);
  expect(welcomes).toBeGreaterThan(0);
  expect(accepted).toEqual([]);
  world.model.enqueue(text('Still the same kernel.'));
  await say(page, 'are you well?');
  await answered(page, 'Still the same kernel.');
  await expectNoEffect();
});

test('[U61] the browser has not even looked up the hostile host', async () => {
  await world.browser.close();
  const log = readFileSync(netLog, 'utf8');
  expect(log).toContain(world.model.url);
  expect(log).not.toContain(HOSTILE_HOST);
});
