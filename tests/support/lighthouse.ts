import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import lighthouse from 'lighthouse';

export type Category = 'performance' | 'accessibility' | 'best-practices';

/** A score of 0 to 100, and the audits that cost points. */
export type Score = { score: number; lost: string[] };

/** What Lighthouse says of a page, as on a phone, in a browser of its own. */
export async function auditPage(
  url: string,
  categories: readonly Category[],
): Promise<Record<string, Score>> {
  const folder = mkdtempSync(join(tmpdir(), 'gsv-lighthouse-'));
  const browser = spawn(process.env.CHROMIUM_PATH ?? '', [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    'about:blank',
  ]);
  try {
    const options = {
      port: await portOf(browser),
      onlyCategories: [...categories],
      logLevel: 'error' as const,
    };
    const result = await lighthouse(url, options);
    if (!result) throw new Error('Lighthouse gave no result');
    const { lhr } = result;
    const scores = Object.entries(lhr.categories).map(([name, { score, auditRefs }]) => {
      const audits = auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => lhr.audits[id]);
      const lost = audits.filter((audit) => audit?.score != null && audit.score < 0.9);
      return [
        name,
        {
          score: Math.round((score ?? 0) * 100),
          lost: lost.map((audit) => `${audit?.id} ${audit?.displayValue ?? ''}`.trim()),
        },
      ];
    });
    return Object.fromEntries(scores);
  } finally {
    const gone = new Promise((resolve) => browser.once('exit', resolve));
    // Asked to end it ends its own programs first; killed, they would go on writing into the folder.
    browser.kill('SIGTERM');
    await gone;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function portOf(browser: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    browser.stderr?.on('data', (chunk: Buffer) => {
      const [, port] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(chunk.toString()) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    browser.once('exit', () => reject(new Error('The browser did not start')));
  });
}
