import type { Page } from '../context.ts';
import { findUid } from './own-uid.ts';

export type LocalChoice = { provider: string; model: string };

/** The account's main model, as far as it is set. */
export async function readChoice(page: Page): Promise<LocalChoice> {
  const prefix = `users/${await findUid(page)}/ai`;
  const { entries } = await page.gsv.call('sys.config.get', { key: prefix });
  const value = (name: string): string => entries.find(({ key }) => key === `${prefix}/${name}`)?.value ?? '';
  return { provider: value('provider'), model: value('model') };
}
