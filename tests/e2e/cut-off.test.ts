import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, withScreenshot } from '../support/browser.ts';
import type { RunningDriver } from '../support/driver.ts';
import { Gate } from '../support/gate.ts';
import { hold, text, tool } from '../support/model-replies.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

describe.each([
  { host: 'a SharedWorker', leader: false },
  { host: 'a leading tab', leader: true },
])('with the kernel in $host', ({ leader }) => {
  let world: World;
  let page: Page;
  let workspace: string;
  let driver: RunningDriver;
  let restartDriver: () => Promise<RunningDriver>;

  beforeAll(async () => {
    world = await World.start({ leader });
    ({ page } = await world.open());
    await withScreenshot(page, `cut-off-set-up-${leader}`, async () => {
      await world.setUp(page);
      ({ driver, workspace, restart: restartDriver } = await world.addDevice(page));
    });
  });
  afterAll(() => world.stop());

  const step = (name: string, run: () => Promise<void>): void => {
    test(name, () => withScreenshot(page, `${name}-${leader}`, run));
  };

  step('[A66] stop in the middle of a stream keeps what was said', async () => {
    const gate = new Gate();
    world.model.enqueue(text('One two three four five six seven eight nine ten', { chunk: 8, gate }));
    await say(page, 'count');
    gate.step(3);
    await page.getByRole('log').getByText('One two').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped by the user.').first().waitFor();
    expect(await page.getByRole('log').innerText()).toContain('One two');
    gate.open();
  });

  step('[A67] a page reloaded in the middle of a run finds it again', async () => {
    const gate = new Gate();
    world.model.enqueue(hold(gate, text('Never seen.')));
    world.model.respond(() => text('Here after the reload.'));
    await say(page, 'take your time');
    await world.model.request(world.model.requests.length === 0 ? 0 : world.model.requests.length - 1);
    await page.reload();
    gate.open();
    await page
      .getByRole('log')
      .getByText(/Here after the reload\.|Never seen\./)
      .last()
      .waitFor();
  });

  step('[A68] closing one of two tabs ends nothing', async () => {
    const second = await openPage(world.browser, page.url(), { context: page.context() });
    await second.page.getByRole('textbox', { name: 'Message' }).waitFor();
    const gate = new Gate();
    world.model.enqueue(hold(gate, text('Still going.')));
    world.model.respond(() => text('Still going.'));
    await say(second.page, 'go on without me');
    await page.getByRole('log').getByText('go on without me').last().waitFor();
    await second.page.close();
    gate.open();
    await answered(page, 'Still going.');
  });

  step('[A69] a server killed with -9 and restarted loses nothing', async () => {
    const log = join(workspace, 'server-kill.log');
    const go = join(workspace, 'server-go');
    world.model.enqueue(
      tool('Shell', {
        target: 'box',
        input: `echo ran >> ${log}; for i in $(seq 200); do [ -e ${go} ] && break; sleep 0.05; done; cat ${log}`,
      }),
      text('Survived the server.'),
    );
    await say(page, 'run through a crash');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => existsSync(log), { timeout: 20_000 }).toBe(true);
    await world.server.killWorkerd();
    writeFileSync(go, '');
    await answered(page, 'Survived the server.');
    expect(readFileSync(log, 'utf8')).toBe('ran\n');
    expect(toolResults(world.model).at(-1)).toContain('ran');
  });

  step('[A70] a driver killed during a call does not run it twice', async () => {
    const log = join(workspace, 'driver-kill.log');
    world.model.enqueue(
      tool('Shell', { target: 'box', input: `echo ran >> ${log}; sleep 30` }),
      text('The driver fell over.'),
    );
    await say(page, 'run through a driver crash');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => existsSync(log), { timeout: 20_000 }).toBe(true);
    await driver.kill();
    driver = await restartDriver();
    await answered(page, 'The driver fell over.');
    expect(readFileSync(log, 'utf8')).toBe('ran\n');
    expect(toolResults(world.model).at(-1)).toMatch(/interrupted/i);
    appendFileSync(log, '');
  });

  step('[A71] messages sent during a run are queued and answered in it', async () => {
    const gate = new Gate();
    world.model.enqueue(hold(gate, tool('Read', { target: 'box', path: '.' })), text('Both heard.'));
    await say(page, 'first');
    await say(page, 'second');
    await page.getByText('second').last().waitFor();
    gate.open();
    await answered(page, 'Both heard.');
    const heard = JSON.stringify(world.model.requests.at(-1)?.body.messages);
    expect(heard).toContain('second');
  });
});
