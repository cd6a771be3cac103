import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { Gate } from '../support/gate.ts';
import { hold, text, tool } from '../support/model-replies.ts';
import { openElsewhere, synced } from '../support/one-gsv.ts';
import { answered, type Device, say, World } from '../support/world.ts';

let world: World;
/** Two browser profiles: a laptop, which set the GSV up, and a phone. */
let laptop: Page;
let phone: Page;
let device: Device;

beforeAll(async () => {
  world = await World.start();
  ({ page: laptop } = await world.open());
  await withScreenshot(laptop, 'one-gsv-set-up', async () => {
    await world.setUp(laptop);
    device = await world.addDevice(laptop);
    world.model.enqueue(text('Said on the laptop.'));
    await say(laptop, 'before there was a phone');
    await answered(laptop, 'Said on the laptop.');
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(laptop, name, () => withScreenshot(phone ?? laptop, `${name} phone`, run)));
};

step('[S42] a second browser opens the GSV by a link, with its conversations, files and keys', async () => {
  ({ page: phone } = await openElsewhere(world, laptop, { width: 390, height: 844 }));
  await answered(phone, 'Said on the laptop.');
  expect(phone.url(), 'the secret has left the address bar').not.toContain('gsv_join_');
  world.model.enqueue(text('Said on the phone.'));
  await say(phone, 'and now there is one');
  await answered(phone, 'Said on the phone.');
  await answered(laptop, 'Said on the phone.');
  await Promise.all([synced(laptop), synced(phone)]);
});

step('[S43] an invitation lets one browser in, and nobody after it', async () => {
  const used = world.server.url;
  const { page } = await world.open(`/#invite=gsv_join_${'A'.repeat(43)}`);
  await page.getByRole('button', { name: 'Open it here' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).not.toContain('undefined');
  expect(page.url()).toBe(`${used}/`);
  await page.context().close();
});

step('[P90] a run is followed word by word on the other, and stopped from there', async () => {
  const gate = new Gate();
  world.model.enqueue(text('One two three four five six seven', { chunk: 4, gate }));
  await say(laptop, 'count');
  gate.step(3);
  await phone.getByRole('log').getByText('One two').last().waitFor();
  await phone.getByRole('button', { name: 'Stop' }).click();
  await laptop.getByText('Stopped by the user.').last().waitFor();
  await phone.getByText('Stopped by the user.').last().waitFor();
  gate.open();
});

step('[P91] what one asks to approve, the other may answer, and it runs once', async () => {
  const file = join(device.workspace, 'approved.txt');
  writeFileSync(file, 'remove me\n');
  world.model.enqueue(tool('Shell', { target: 'box', input: 'rm approved.txt' }));
  world.model.enqueue(text('It is removed.'));
  await say(laptop, 'remove it');
  await phone.getByRole('button', { name: 'Approve' }).click();
  await answered(phone, 'It is removed.');
  await answered(laptop, 'It is removed.');
  expect(existsSync(file)).toBe(false);
});

step('[P92] what is sent on the other while a run goes on waits for it', async () => {
  const gate = new Gate();
  world.model.enqueue(hold(gate, text('The first answer.')));
  world.model.enqueue(text('The second answer.'));
  await say(laptop, 'first');
  await world.model.request(world.model.requests.length - 1);
  await say(phone, 'second');
  await laptop.getByText('second', { exact: true }).last().waitFor();
  gate.open();
  await answered(phone, 'The second answer.');
  await answered(laptop, 'The second answer.');
});

step('[S44] both write apart, and have everything when the server is back', async () => {
  await world.server.kill();
  await Promise.all([laptop, phone].map((page) => page.getByRole('button', { name: /^Offline/ }).waitFor()));
  world.model.respond(() => text('Answered apart.'));
  await say(laptop, 'written on the laptop alone');
  await say(phone, 'written on the phone alone');
  await Promise.all([answered(laptop, 'Answered apart.'), answered(phone, 'Answered apart.')]);
  await world.restartServer();
  await Promise.all([synced(laptop), synced(phone)]);
  for (const page of [laptop, phone]) {
    await page.getByRole('log').getByText('written on the laptop alone').waitFor();
    await page.getByRole('log').getByText('written on the phone alone').waitFor();
  }
  const [one, other] = await Promise.all(
    [laptop, phone].map(async (page) =>
      (await page.getByRole('log').innerText()).replaceAll(/\d\d:\d\d/g, ''),
    ),
  );
  const from = 'written on the';
  expect(one?.slice(one.indexOf(from))).toBe(other?.slice(other.indexOf(from)));
});
