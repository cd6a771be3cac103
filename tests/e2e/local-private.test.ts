import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { call, speak, useTinyModel } from '../support/local-model-page.ts';
import { watchSharedWorker } from '../support/worker-traffic.ts';
import { answered, say, World } from '../support/world.ts';

const TURNS = 50;
const FOR_ALL = 'a-word-for-all';
const PRIVATE = 'a-word-said-in-private';
const ANSWER = 'answered-in-private';
const STEPS = [call('Read', { target: 'gsv', path: '/proc/version' }), speak(ANSWER)];

/** Whether any file of the server's data holds a text. */
function stored(dataDir: string, text: string): boolean {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));
}

test('[A141][U280] in 50 turns of a conversation kept on this device no request is made, and no word of it is sent or stored elsewhere', async () => {
  const world = await World.start({ readable: true });
  const { page, context } = await world.open();
  await withScreenshot(page, 'local-private', async () => {
    await world.setUp(page);
    await useTinyModel(world, page, { steps: STEPS });
    const traffic = await watchSharedWorker(world.browser);
    // What is not kept here is sent and stored where the server may read it, and seen by this test.
    await say(page, FOR_ALL);
    await answered(page, ANSWER);
    await page.getByText('tiny · here').waitFor();
    const sent = (text: string): boolean => traffic.frames.some((frame) => frame.includes(text));
    await expect.poll(() => sent(FOR_ALL)).toBe(true);
    const { dataDir } = world.server;
    await expect.poll(() => stored(dataDir, FOR_ALL)).toBe(true);

    await page.getByRole('button', { name: 'More about this conversation' }).click();
    await page.getByRole('menuitem', { name: 'Keep it on this device' }).click();
    await page.getByRole('button', { name: 'Keep it here' }).click();
    await page.getByText('tiny · stays here').waitFor();
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    traffic.requests.length = 0;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await say(page, `${PRIVATE}-${turn}`);
      await page.getByRole('log').getByText(`${PRIVATE}-${turn}`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden', timeout: 30_000 });
    }
    await answered(page, ANSWER);
    await page.getByText('Synced').first().waitFor();
    expect([...requests, ...traffic.requests]).toEqual([]);
    expect(world.model.requests).toEqual([]);
    expect(sent(PRIVATE)).toBe(false);
    expect(stored(dataDir, PRIVATE)).toBe(false);
  });
  await world.stop();
});
