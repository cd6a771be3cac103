import type { JSX } from 'solid-js';
import type { MessageRow } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { textOf } from '../../live/messages.ts';
import { Icon } from '../../parts/icon.tsx';
import { write } from '../../parts/memory.ts';
import { chatPath } from '../../route.ts';
import { draftName, useChat } from './chat-context.ts';

/** Goes back to before a message, in a conversation of its own, with the message to be said differently. */
export function ForkButton(props: { row: MessageRow }): JSX.Element {
  const { gsv, notices, router } = usePage();
  const { pid, about, conversation } = useChat();
  const fork = async (): Promise<void> => {
    const rows = conversation.rows();
    const before = rows[rows.findIndex(({ id }) => id === props.row.id) - 1];
    const text = textOf(props.row);
    const title = text.split('\n')[0]?.slice(0, 60) ?? '';
    const made = await notices.attempt('The conversation was not forked', async () => {
      if (before === undefined) {
        const opened = await gsv.call('proc.conversation.open', { pid: pid(), title });
        return opened.ok ? { ok: true as const, id: opened.conversation.id } : opened;
      }
      const forked = await gsv.call('proc.conversation.fork', {
        ...about(),
        throughMessageId: before.id,
        title,
      });
      return forked.ok ? { ok: true as const, id: forked.targetConversation.id } : forked;
    });
    if (made === null) return;
    write(draftName({ pid: pid(), conversationId: made.id }), text);
    router.go(chatPath(pid(), made.id));
  };
  return (
    <button
      type="button"
      class="icon-button fork"
      aria-label="Ask differently from here"
      title="Ask differently from here, in a new conversation"
      onClick={() => void fork()}
    >
      <Icon name="fork" size={15} />
    </button>
  );
}
