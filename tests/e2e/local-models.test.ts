import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { call, speak, useTinyModel } from '../support/local-model-page.ts';
import { answered, say, World } from '../support/world.ts';

const STEPS = [
  call('Write', { target: 'gsv', path: 'note.txt', content: 'kept on this device' }),
  call('Read', { target: 'gsv', path: 'note.txt' }),
  speak('It is written and read.'),
];

/** A model computes on the processor that everything else here shares. */
const MODEL_MS = 60_000;

for (const host of ['SharedWorker', 'leading tab'] as const) {
  describe(`the kernel in a ${host}`, () => {
    let world: World;
    let open: OpenPage;
    beforeAll(async () => {
      world = await World.start({ leader: host === 'leading tab' });
      open = await world.open();
      await withScreenshot(open.page, 'local-set-up', () => world.setUp(open.page));
    });
    afterAll(() => world.stop());

    test('[A100] with the network cut, an agent on a model of this device writes a file and reads it', async () => {
      const { page, context, problems } = open;
      page.setDefaultTimeout(MODEL_MS);
      await withScreenshot(page, 'local-models', async () => {
        await useTinyModel(world, page, { steps: STEPS });
        // The engine is fetched when it is first used; from then on nothing more is needed.
        await say(page, 'keep a note');
        await answered(page, 'It is written and read.');
        await world.server.kill();
        await context.setOffline(true);
        await page.getByText('offline', { exact: false }).first().waitFor();
        await say(page, 'again, please');
        await expect
          .poll(() => page.getByRole('log').getByText('It is written and read.').count(), {
            timeout: MODEL_MS,
          })
          .toBe(2);
        const log = page.getByRole('log');
        expect(await log.getByText('Write note.txt').count()).toBe(2);
        expect(await log.getByText('Read note.txt').count()).toBe(2);
        await log.getByText('Read note.txt').last().click();
        await log.getByText('kept on this device').last().waitFor();
        expect(world.model.requests).toHaveLength(0);
        expect(problems.violations).toEqual([]);
      });
    });
  });
}
