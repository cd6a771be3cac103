import type { Page } from '../context.ts';

/** The user's number: from their own first process, which is started when it is not there yet. */
export async function findUid(page: Page): Promise<number> {
  const known = page.home()?.uid;
  if (known !== undefined) return known;
  const answer = await page.gsv.call('proc.spawn', { profile: 'init' });
  const uid = answer.ok ? /^init:(\d+)$/.exec(answer.pid)?.[1] : undefined;
  if (uid === undefined) throw new Error('It is not known who is signed in.');
  return Number(uid);
}
