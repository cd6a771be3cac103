import { expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { call, speak } from '../support/local-model-page.ts';
import { scriptedPromptApi } from '../support/scripted-prompt-api.ts';
import { answered, say, World } from '../support/world.ts';

test('[A144] the browser’s own model (its API scripted in the page, where it says that it cannot run) is downloaded, chosen, and writes a file with the server killed', async () => {
  const world = await World.start();
  const { page, context, problems } = await world.open();
  const answers = [
    call('Write', { target: 'gsv', path: 'own.txt', content: 'by the browser' }),
    speak('The browser wrote it.'),
    speak('Still here.'),
  ];
  await withScreenshot(page, 'own-model', async () => {
    await world.setUp(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'On this device' }).click();
    await page.getByText(/^This browser has (none|one, which this device cannot run)/).waitFor();
    await page.screenshot({ path: '/tmp/shots-models/own-none.png' });
    await context.addInitScript(
      `globalThis.LanguageModel = (${scriptedPromptApi.toString()})(${JSON.stringify(answers)});
       globalThis.LanguageModel.state = 'downloadable';`,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Download the browser’s model' }).click();
    await page.getByRole('button', { name: 'Use the browser’s model' }).click();
    await page.getByText('The browser’s own model is your main model').waitFor();
    await page.screenshot({ path: '/tmp/shots-models/own-used.png' });
    await page.getByRole('link', { name: 'Chat' }).click();
    await say(page, 'write it down');
    await answered(page, 'The browser wrote it.');
    await page.getByRole('log').getByText('Write own.txt').waitFor();
    await page.getByText('own · here').waitFor();
    await world.server.kill();
    await context.setOffline(true);
    await say(page, 'and now?');
    await answered(page, 'Still here.');
    expect(world.model.requests).toEqual([]);
    expect(problems.violations).toEqual([]);
  });
  await world.stop();
});
