import type { Page } from '../../context.ts';
import { type Shared, sharedMessage, sharedPath } from '../../live/shared.ts';
import { chatPath } from '../../route.ts';

/** Stores shared files in the person's home, and puts the text and their places into the message being written. */
export async function takeShared(page: Page, { text, files }: Shared): Promise<void> {
  const home = page.home();
  if (home === undefined) return;
  const now = new Date();
  const paths: string[] = [];
  for (const file of files) {
    const path = sharedPath(home.home, file.name, now);
    const stored = await page.notices.attempt(`${file.name} could not be stored`, async () => {
      // Of the two, this one makes the folders above the file.
      await page.gsv.call('fs.write', { path, content: '' });
      return page.gsv.call('fs.transfer.write', { path }, { bytes: file.stream() });
    });
    if (stored === null) return;
    paths.push(path);
  }
  page.forgetShared();
  page.router.go(chatPath(page.lastChat() ?? home.pid));
  page.compose(sharedMessage(text, paths));
}
