import { For, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { usePage } from '../../context.ts';
import { rememberedWords } from '../../live/approval-words.ts';
import { createAsked } from '../../parts/asked.ts';
import { Empty } from '../../parts/small.tsx';
import { clockTime } from '../../parts/words.ts';

type Approval = Result<'proc.approval.list'>['approvals'][number];

export function ApprovalSettings(): JSX.Element {
  const { gsv, notices } = usePage();
  const approvals = createAsked(async () => {
    const answer = await notices.attempt('The approvals could not be listed', () =>
      gsv.call('proc.approval.list', {}),
    );
    return answer?.approvals ?? [];
  });
  const revoke = async (approvalId: string): Promise<void> => {
    await notices.attempt('It was not taken back', () => gsv.call('proc.approval.revoke', { approvalId }));
    await approvals.again();
  };
  return (
    <Show
      when={approvals.latest()?.length !== 0}
      fallback={<Empty title="Nothing is remembered.">GSV asks each time before anything risky.</Empty>}
    >
      <ul class="plain rows" aria-label="Approvals remembered">
        <For each={approvals.latest()}>
          {(approval) => (
            <ApprovalRowView approval={approval} onRevoke={() => void revoke(approval.approvalId)} />
          )}
        </For>
      </ul>
    </Show>
  );
}

function ApprovalRowView(props: { approval: Approval; onRevoke(): void }): JSX.Element {
  const { now } = usePage();
  const words = (): string => rememberedWords(props.approval);
  return (
    <li class="row-card">
      <div class="row-main">
        <code class="row-title" dir="ltr">
          {words()}
        </code>
        <p class="row-sub">
          {props.approval.target === 'gsv' ? 'in GSV itself' : 'on devices'} · since{' '}
          {clockTime(props.approval.createdAt, now())}
        </p>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="button"
          aria-label={`Ask again for ${words()}`}
          onClick={() => props.onRevoke()}
        >
          Ask again
        </button>
      </div>
    </li>
  );
}
