import type { Page } from '../context.ts';
import { findUid } from './own-uid.ts';

export type ApprovalPreset = { id: string; name: string; hint: string; policy: string };

const freely = (call: string) => ({ match: call, action: 'auto' });

/** When GSV asks, in three strengths (FACTS, "Approval policy"). An empty policy is the kernel's default. */
export const approvalPresets: readonly ApprovalPreset[] = [
  {
    id: 'risky',
    name: 'Before anything risky',
    hint: 'Reading goes on by itself. What deletes, changes by command, uses the network or is not recognised is asked for.',
    policy: '',
  },
  {
    id: 'all',
    name: 'Before everything but reading',
    hint: 'Every write and every command is asked for.',
    policy: JSON.stringify({ default: 'ask', rules: [freely('fs.read'), freely('fs.search')] }),
  },
  {
    id: 'never',
    name: 'Never',
    hint: 'GSV acts on all connected machines without asking. It can delete files and run any command.',
    policy: JSON.stringify({ default: 'auto', rules: [] }),
  },
];

/** The preset that a stored policy is; undefined for one of the user's own. */
export function presetOf(policy: string): ApprovalPreset | undefined {
  return approvalPresets.find((preset) => preset.policy === policy.trim());
}

const keyOf = async (page: Page): Promise<string> => `users/${await findUid(page)}/ai/tools/approval`;

/** The stored policy; empty when there is none. Rejects with the kernel's words. */
export async function readApprovalPolicy(page: Page): Promise<string> {
  const key = await keyOf(page);
  const { entries } = await page.gsv.call('sys.config.get', { key });
  return entries.find((entry) => entry.key === key)?.value ?? '';
}

export async function saveApprovalPolicy(page: Page, policy: string): Promise<void> {
  await page.gsv.call('sys.config.set', { key: await keyOf(page), value: policy });
}
