import type { Page } from 'playwright-core';
import { type OpenPage, withScreenshot } from './browser.ts';
import type { World } from './world.ts';

const invited = /#invite=(gsv_join_[A-Za-z0-9_-]+)/;

/** Makes an invitation in a page and answers with the path of its link. The dialog stays open. */
export async function invite(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Devices' }).click();
  await page.getByRole('button', { name: 'Add a browser' }).first().click();
  const line = await page.getByRole('dialog').locator('code').filter({ hasText: invited }).innerText();
  return `/${invited.exec(line)?.[0] ?? ''}`;
}

/** Opens the GSV of `page` in a further browser profile, by invitation, and ends in the chat of both. */
export async function openElsewhere(
  world: World,
  page: Page,
  size?: { width: number; height: number },
): Promise<OpenPage> {
  const opened = await world.open(await invite(page), size);
  await withScreenshot(opened.page, 'open-elsewhere', async () => {
    await opened.page.getByRole('button', { name: 'Open it here' }).click();
    await opened.page.getByRole('textbox', { name: 'Message' }).waitFor();
  });
  await page
    .getByRole('dialog')
    .getByText(/joined/)
    .waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Chat' }).click();
  return opened;
}

/** After many failures a browser dials every 30 s, and an answer may take another 15 s. */
const BACK_MS = 45_000;

/** Waits until the page says that the server has everything; it may have yet to hear of what others did. */
export async function synced(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Synced', exact: true }).waitFor({ timeout: BACK_MS });
}

/** What a person has said in the conversation that a page shows, oldest first, as the page exports it. */
export async function saidIn(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /JSON/ }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
    messages: { role: string; content: { text?: string }[] }[];
  };
  return messages.flatMap(({ role, content }) => (role === 'user' ? (content[0]?.text ?? []) : []));
}
