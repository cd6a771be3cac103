import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webllmPlace } from '../../shared/kernel/local/hub.ts';
import { seriousProblems } from '../support/audit.ts';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { webllmFiles } from '../support/webllm-files.ts';
import { say, World } from '../support/world.ts';

/** The mirror of a real hub, with the model below compiled for the installed WebLLM. */
const REAL = process.env.GSV_WEBLLM_TEST_MODEL;
/** The one proposed model that runs where the graphics processor has no 16-bit numbers, as SwiftShader. */
const MODEL = { label: 'Llama 3.2 1B, for GPUs without f16', id: 'Llama-3.2-1B-Instruct-q4f32_1-MLC' };
/** Somebody's own. */
const OWN = 'Tiny-Chat-q4f32_1-MLC';
const REAL_MS = 20 * 60_000;

let world: World;
let open: OpenPage;
let hub: FileServer;
beforeAll(async () => {
  hub = await startFileServer();
  hub.files = webllmFiles(MODEL.id);
  // SwiftShader computes on the processor, as WebGPU.
  world = await World.start({ browserArgs: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] });
  open = await world.open();
  await withScreenshot(open.page, 'webllm-set-up', () => world.setUp(open.page));
});
afterAll(async () => {
  await world.stop();
  await hub.close();
});

async function showModels(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'On this device' }).click();
}

async function useMirror(page: Page, mirror: string): Promise<void> {
  await showModels(page);
  await page.getByText('A mirror for networks').click();
  await page.getByLabel('Mirror', { exact: true }).fill(mirror);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The mirror is saved.').waitFor();
}

test('[A152] with WebGPU (SwiftShader) what this device can run is known first; a model is fetched, and its broken program ends the run in words', async () => {
  const { page, problems } = open;
  await withScreenshot(page, 'webllm', async () => {
    await useMirror(page, hub.url);
    await page.getByText('without 16-bit numbers').waitFor();
    const unfit = page.getByText(/that this device cannot run/);
    await unfit.click();
    await page.getByText('Needs 16-bit numbers (shader-f16)').first().waitFor();
    await page.screenshot({ path: '/tmp/shots-models/webllm-list.png', fullPage: true });
    await page.getByRole('button', { name: `Download ${MODEL.label}` }).click();
    await page.getByRole('button', { name: `Use ${MODEL.label}`, exact: true }).click();
    await page.getByText('in use').waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await say(page, 'hello');
    const note = page.getByRole('log').locator('.note.error');
    await note.getByText('The program of the model is damaged. Delete it and download it again.').waitFor();
    await page.screenshot({ path: '/tmp/shots-models/webllm-broken.png' });
    expect(problems.violations).toEqual([]);
  });
});

test('[U283] the page of models says which conversations ask a model, with ways to them', async () => {
  const { page } = open;
  await withScreenshot(page, 'model-use', async () => {
    await showModels(page);
    await page.getByText('Your main model: 1 conversation asks it').click();
    const asking = page.getByRole('list', { name: `Conversations with ${MODEL.label}` });
    expect(await seriousProblems(page)).toEqual([]);
    await asking.getByRole('link').click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/chat\//);
  });
});

test('[U284] a model compiled for WebLLM is added by two addresses, chosen and deleted; the mirror says what it must serve', async () => {
  const { page } = open;
  await withScreenshot(page, 'webllm-custom', async () => {
    hub.files = new Map([...hub.files, ...webllmFiles(OWN)]);
    await showModels(page);
    await page.getByText('A model compiled for the graphics processor').click();
    await page.getByLabel('Address of its weights').fill('somewhere');
    await page.getByRole('button', { name: 'Download the model' }).click();
    await page.getByText('An address such as https://huggingface.co/mlc-ai/NAME-MLC.').waitFor();
    const { weights, program } = webllmPlace(OWN, hub.url);
    await page.getByLabel('Address of its weights').fill(weights);
    await page.getByLabel('Address of its program').fill(program);
    await page.getByRole('button', { name: 'Download the model' }).click();
    await page.getByRole('button', { name: `Use ${OWN}`, exact: true }).waitFor();
    await page.getByText('A mirror for networks').click();
    await page.getByText('/OWNER/NAME/resolve/main/FILE').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: `Delete ${OWN}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByText(OWN, { exact: true }).count()).toBe(0);
  });
});

if (REAL) {
  test(
    '[A150] the model of GSV_WEBLLM_TEST_MODEL, run for real, writes a file',
    async () => {
      const { page } = open;
      await withScreenshot(page, 'webllm-real', async () => {
        await useMirror(page, REAL);
        await page.getByRole('button', { name: `Delete ${MODEL.label}` }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('button', { name: `Download ${MODEL.label}` }).click();
        await page
          .getByRole('button', { name: `Use ${MODEL.label}`, exact: true })
          .click({ timeout: REAL_MS });
        await page.getByRole('link', { name: 'Chat' }).click();
        await say(page, 'Write the word yes to the file yes.txt.');
        await page.getByRole('log').getByText('Write yes.txt').first().waitFor({ timeout: REAL_MS });
      });
    },
    REAL_MS,
  );
}
