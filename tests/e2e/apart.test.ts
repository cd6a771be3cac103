import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { openElsewhere, saidIn, synced } from '../support/one-gsv.ts';
import { answered, say, World } from '../support/world.ts';

const KILLS = 50;
/** The supervisor waits longer after each: a workerd that keeps dying is not started in a hurry. */
const WORKERD_KILLS = 6;
/** “Synced” is said of what a device has told; what it has yet to hear of takes a moment. */
const ARRIVAL_MS = 30_000;

let world: World;
let laptop: Page;
let phone: Page;

beforeAll(async () => {
  world = await World.start();
  world.model.respond(byWord);
  ({ page: laptop } = await world.open());
  await withScreenshot(laptop, 'apart-set-up', async () => {
    await world.setUp(laptop);
    ({ page: phone } = await openElsewhere(world, laptop));
    await phone.getByRole('link', { name: 'Chat' }).click();
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(laptop, name, () => withScreenshot(phone ?? laptop, `${name} phone`, run)));
};

/** Asks and waits for the whole answer. */
async function done(page: Page, text: string): Promise<void> {
  await say(page, text);
  await page.getByRole('log').getByText(text, { exact: true }).last().waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
}

/** Each shows so many numbered messages, in the same order, when it has heard of those that were said on the other. */
async function bothShow(beginning: string, count: number): Promise<void> {
  const shown = async (page: Page): Promise<string[]> =>
    (await saidIn(page)).filter((text) => text.startsWith(beginning));
  const expected = Array.from({ length: count }, (_, n) => `${beginning}${n}`).sort();
  for (const page of [laptop, phone]) {
    const sorted = async (): Promise<string[]> => (await shown(page)).sort();
    await expect.poll(sorted, { timeout: ARRIVAL_MS, interval: 500 }).toEqual(expected);
  }
  expect(await shown(laptop)).toEqual(await shown(phone));
}

step('[F96] one file written on two devices apart is there twice, and the person is told', async () => {
  await done(laptop, 'write plan.md: the first plan');
  await Promise.all([synced(laptop), synced(phone)]);
  await world.server.kill();
  await Promise.all([laptop, phone].map((page) => page.getByRole('button', { name: /^Offline/ }).waitFor()));
  await done(laptop, 'write plan.md: the plan of the laptop');
  await done(phone, 'write plan.md: the plan of the phone');
  await world.restartServer();
  await Promise.all([synced(laptop), synced(phone)]);
  for (const page of [laptop, phone]) {
    await page.getByRole('button', { name: /Notifications/ }).click();
    await page
      .getByText(/plan \(from .* on another device\)\.md/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  }
  await say(laptop, 'read plan.md');
  await answered(laptop, 'Result: 1\tthe plan of the phone');
  await say(laptop, 'read .');
  await laptop
    .getByRole('log')
    .getByText(/plan \(from/)
    .last()
    .waitFor();
});

step(`[S45] ${KILLS} kills of the server while messages are written lose none of them`, async () => {
  for (let n = 0; n < KILLS; n += 1) {
    const [writer] = n % 2 === 0 ? [laptop] : [phone];
    await say(writer ?? laptop, `message ${n}`);
    await world.serverNow.kill();
    await world.restartServer();
  }
  await Promise.all([synced(laptop), synced(phone)]);
  await bothShow('message ', KILLS);
});

step(
  `[S80] ${WORKERD_KILLS} kills of the room alone while messages are written lose none of them`,
  async () => {
    for (let n = 0; n < WORKERD_KILLS; n += 1) {
      const [writer] = n % 2 === 0 ? [laptop] : [phone];
      await say(writer ?? laptop, `while killed ${n}`);
      await world.serverNow.killWorkerd();
    }
    await Promise.all([synced(laptop), synced(phone)]);
    await bothShow('while killed ', WORKERD_KILLS);
  },
);
