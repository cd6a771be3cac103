import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { APPROVAL_NOTICE } from '../../../shared/syscalls/notice-kinds.ts';
import { type Approval, takeApproval } from '../../service-worker/approval.ts';

/** What was approved in a notification and is to be answered, once its question is on the page. */
export function createApproving(): { approving: Accessor<Approval | null>; answered(): void } {
  const [approving, setApproving] = createSignal<Approval | null>(null);
  const look = (): void => {
    if (!('caches' in globalThis)) return;
    void takeApproval(caches).then(
      (found) => found && setApproving(found),
      () => {},
    );
  };
  look();
  navigator.serviceWorker?.addEventListener('message', look);
  onCleanup(() => navigator.serviceWorker?.removeEventListener('message', look));
  return { approving, answered: () => setApproving(null) };
}

/** Whether an approval means this question. */
export async function isMeant(approval: Approval, pid: string, requestId: string): Promise<boolean> {
  const { causeId } = await import('../../../shared/std/cause-id.ts');
  return (
    approval.pid === pid && approval.notificationId === `${APPROVAL_NOTICE}${causeId('approval', requestId)}`
  );
}
