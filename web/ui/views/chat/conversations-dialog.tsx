import { For, type JSX, Show } from 'solid-js';
import { isActive } from '../../../../shared/state/active.ts';
import { usePage } from '../../context.ts';
import { conversationTitle, type LiveConversation } from '../../live/conversations.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Link } from '../../parts/link.tsx';
import { clockTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import { InlineEdit } from '../devices/inline-edit.tsx';
import type { ArchivedPlace } from './archive.ts';
import { useChat } from './chat-context.ts';
import { ConversationSearch } from './conversation-search.tsx';

/** The conversations of a process: chosen, begun, renamed, closed. */
export function ConversationsDialog(props: {
  onClose(): void;
  onRead(place: ArchivedPlace): void;
}): JSX.Element {
  const { gsv, notices, router } = usePage();
  const { pid, conversations } = useChat();
  const begin = async (): Promise<void> => {
    const made = await notices.attempt('No conversation was begun', () =>
      gsv.call('proc.conversation.open', { pid: pid() }),
    );
    if (made === null) return;
    props.onClose();
    router.go(chatPath(pid(), made.conversation.id));
  };
  return (
    <Dialog title="Conversations of this process" onClose={props.onClose}>
      <p class="dialog-text">
        Each has its own messages; they share files, machines and the one run that goes on at a time.
      </p>
      <ConversationSearch onGo={props.onClose} onRead={props.onRead} />
      <ul class="plain conversation-list">
        <For each={conversations().map(({ conversationId }) => conversationId)}>
          {(id) => <Listed id={id} onClose={props.onClose} />}
        </For>
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button primary" onClick={() => void begin()}>
          New conversation
        </button>
      </div>
    </Dialog>
  );
}

function Listed(props: { id: string; onClose(): void }): JSX.Element {
  const page = usePage();
  const { gsv, notices, router } = page;
  const { pid, place, conversations } = useChat();
  const row = (): LiveConversation | undefined =>
    conversations().find(({ conversationId }) => conversationId === props.id);
  const about = () => ({ pid: pid(), conversationId: props.id });
  const rename = (title: string): Promise<unknown> =>
    notices.attempt('It was not renamed', () => gsv.call('proc.conversation.open', { ...about(), title }));
  const close = async (): Promise<void> => {
    const closed = await notices.attempt('It was not closed', () =>
      gsv.call('proc.conversation.close', about()),
    );
    if (closed !== null && place().conversationId === props.id) router.go(chatPath(pid()));
  };
  const current = (): boolean => place().conversationId === props.id;
  const time = (): string => clockTime(row()?.updatedAt ?? 0, page.now());
  const count = (): string => {
    const known = row()?.messageCount;
    return known === undefined ? '' : ` · ${known} messages`;
  };
  return (
    <li>
      <Link href={chatPath(pid(), props.id)} current={current()} onGo={props.onClose}>
        {conversationTitle(row())}
      </Link>
      <InlineEdit
        text={row()?.title ?? ''}
        label="Title"
        edit={`Rename ${conversationTitle(row())}`}
        word="Rename"
        maxLength={200}
        onSave={rename}
      >
        {time()}
        {count()}
        <Show when={isActive(row()?.state)}> · working</Show>
      </InlineEdit>
      <Show when={props.id !== 'default'}>
        <button
          type="button"
          class="text-button"
          aria-label={`Close ${conversationTitle(row())}`}
          onClick={() => void close()}
        >
          Close
        </button>
      </Show>
    </li>
  );
}
