import type { TestPage } from '../support/kernel.ts';
import { waitFor } from '../support/server.ts';

/** Resolves when the server has everything of a GSV. */
export async function settled(page: TestPage): Promise<void> {
  const stored = async (): Promise<boolean> => {
    const { link, waiting } = await page.call('sys.status', {});
    return link === 'online' && waiting === 0;
  };
  await waitFor(stored, 'the server to have everything');
}
