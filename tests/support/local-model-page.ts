import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type TinyGguf, tinyGguf } from './tiny-gguf.ts';
import type { World } from './world.ts';

/** Imports a small model of the test's making in the settings of a page, and makes it the one that answers. */
export async function useTinyModel(
  world: World,
  page: Page,
  model: TinyGguf = {},
  name = 'tiny',
): Promise<void> {
  const file = join(world.home, `${name}.gguf`);
  writeFileSync(file, tinyGguf(model));
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'On this device' }).click();
  await page.getByRole('button', { name: 'Import a file' }).waitFor();
  await page.getByLabel('GGUF file', { exact: true }).setInputFiles(file);
  await page.getByText(`${name}.gguf is on this device now.`).waitFor();
  await page.getByRole('button', { name: `Use ${name}`, exact: true }).click();
  await page.getByText('in use').waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
}

/** What a model writes to call a tool, or to speak. */
export const call = (tool: string, args: Record<string, unknown>): string =>
  JSON.stringify({ tool, arguments: args });
export const speak = (say: string): string => JSON.stringify({ say });
