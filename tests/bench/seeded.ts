import type { ModelSettings } from './page/api.ts';
import { Profile } from './profile.ts';
import type { BenchSite } from './site.ts';

/** With a window of 32,768 tokens, a history of 100 such messages is longer than what a model is shown. */
const CHARACTERS = 800;

/** A browser profile with one process whose conversation is as long as was asked. */
export type Seeded = { profile: Profile; pid: string };

/** Sets a GSV up and writes the messages to its disk; no kernel runs at the end. */
export async function seededConversation(
  site: BenchSite,
  count: number,
  model?: ModelSettings,
  config: Readonly<Record<string, string>> = {},
): Promise<Seeded> {
  const profile = await Profile.setUp(site, model);
  for (const [key, value] of Object.entries(config)) await profile.run('setConfig', key, value);
  const pid = await profile.run('spawn');
  await profile.open();
  await profile.run('seedMessages', pid, count, CHARACTERS);
  return { profile, pid };
}
