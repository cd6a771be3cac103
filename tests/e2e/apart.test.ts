import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { openElsewhere, saidIn, synced } from '../support/one-gsv.ts';
import { answered, say, World } from '../support/world.ts';

const KILLS = 50;
/** The supervisor waits longer after each: a workerd that keeps dying is not started in a hurry. */
const WORKERD_KILLS = 6;

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
  const numbered = (said: string[]): string[] => said.filter((text) => text.startsWith('message '));
  const seen = (await Promise.all([laptop, phone].map(saidIn))).map(numbered);
  const expected = Array.from({ length: KILLS }, (_, n) => `message ${n}`).sort();
  for (const messages of seen) expect([...messages].sort()).toEqual(expected);
  expect(seen[0]).toEqual(seen[1]);
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
    const written = (said: string[]): string[] => said.filter((text) => text.startsWith('while killed '));
    const seen = (await Promise.all([laptop, phone].map(saidIn))).map(written);
    const expected = Array.from({ length: WORKERD_KILLS }, (_, n) => `while killed ${n}`).sort();
    for (const messages of seen) expect([...messages].sort()).toEqual(expected);
    expect(seen[0]).toEqual(seen[1]);
  },
);
