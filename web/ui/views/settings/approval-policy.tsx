import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  approvalPresets,
  presetOf,
  readApprovalPolicy,
  saveApprovalPolicy,
} from '../../live/approval-presets.ts';
import { createAsked } from '../../parts/asked.ts';
import { SelectField } from '../../parts/field.tsx';

/** A policy that was written by hand. */
const OWN = 'own';

/** When GSV asks before it acts. */
export function ApprovalPolicySettings(): JSX.Element {
  const page = usePage();
  const { notices } = page;
  const policy = createAsked(() =>
    notices.attempt('The policy could not be read', () => readApprovalPolicy(page)),
  );
  const preset = () => presetOf(policy.latest() ?? '');
  const choose = async (id: string): Promise<void> => {
    const chosen = approvalPresets.find((candidate) => candidate.id === id);
    if (!chosen) return;
    const saved = await notices.attempt('The policy was not saved', async () => {
      await saveApprovalPolicy(page, chosen.policy);
      return true;
    });
    if (saved !== true) return;
    policy.put(chosen.policy);
    notices.good('Saved. It holds from the next step on.');
  };
  return (
    <SelectField
      label="GSV asks"
      hint={preset()?.hint ?? 'Your own policy, from users/…/ai/tools/approval.'}
      value={preset()?.id ?? OWN}
      onValue={(id) => void choose(id)}
    >
      <Show when={preset() === undefined}>
        <option value={OWN}>By a policy of your own</option>
      </Show>
      <For each={approvalPresets}>{({ id, name }) => <option value={id}>{name}</option>}</For>
    </SelectField>
  );
}
