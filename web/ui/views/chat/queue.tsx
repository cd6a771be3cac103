import { For, type JSX } from 'solid-js';
import type { QueueRow } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { tameProse } from '../../parts/machine-text.ts';
import { useChat } from './chat-context.ts';

/** Messages that wait for the run to end. They can be taken back until then. */
export function Queue(): JSX.Element {
  const { conversation } = useChat();
  return (
    <ul class="plain queue" aria-label="Queued">
      <For each={conversation.queue()}>{(row, place) => <Queued row={row} first={place() === 0} />}</For>
    </ul>
  );
}

function Queued(props: { row: QueueRow; first: boolean }): JSX.Element {
  const { gsv, notices } = usePage();
  const { pid, draft, setDraft, attachments } = useChat();
  const takeBack = async (): Promise<boolean> => {
    const answer = await notices.attempt('The message could not be taken back', () =>
      gsv.call('proc.queue.remove', { pid: pid(), messageId: props.row.messageId }),
    );
    if (answer !== null && !answer.removed) notices.bad('It is on its way already.');
    return answer?.removed === true;
  };
  const edit = async (): Promise<void> => {
    const { text, media } = props.row;
    if (!(await takeBack())) return;
    setDraft(draft().trim() === '' ? text : `${text}\n\n${draft()}`);
    attachments().restore(media ?? []);
    document.querySelector<HTMLElement>('.composer textarea')?.focus();
  };
  return (
    <li>
      <span class="queue-when">{props.first ? 'Next' : 'Then'}</span>
      <span class="queue-text" dir="auto">
        {tameProse(queuedWords(props.row))}
      </span>
      <button type="button" class="text-button" onClick={() => void edit()}>
        Edit
      </button>
      <button type="button" class="text-button" onClick={() => void takeBack()}>
        Remove
      </button>
    </li>
  );
}

function queuedWords({ text, media = [] }: QueueRow): string {
  const files = media.length === 0 ? '' : `[${media.map(({ name }) => name).join(', ')}]`;
  return [text, files].filter((part) => part !== '').join(' ');
}
