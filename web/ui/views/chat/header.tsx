import { type JSX, Show } from 'solid-js';
import { DEFAULT_CONVERSATION } from '../../../../shared/state/conversation-names.ts';
import { usePage } from '../../context.ts';
import { conversationTitle } from '../../live/conversations.ts';
import { processTitle } from '../../live/processes.ts';
import { Icon } from '../../parts/icon.tsx';
import { Chip } from '../../parts/small.tsx';
import { ViewHead } from '../shell/view-head.tsx';
import { useChat } from './chat-context.ts';
import { ConversationMenu } from './conversation-menu.tsx';
import type { InspectorState } from './inspector-state.ts';
import { ModelChip } from './model-chip.tsx';

export function ChatHeader(props: { inspector: InspectorState }): JSX.Element {
  const page = usePage();
  const { process, conversation, conversations, place } = useChat();
  const title = (): string => {
    const row = process();
    if (row === undefined) return 'Conversation';
    const chosen = conversations().find((one) => one.conversationId === place().conversationId);
    if (chosen?.title) return chosen.title;
    const first = place().conversationId === DEFAULT_CONVERSATION;
    return first ? processTitle(row) : `${processTitle(row)} · ${conversationTitle(chosen)}`;
  };
  const filled = (): number | undefined => {
    const context = conversation.context();
    return context === null || context.window === 0
      ? undefined
      : Math.round((context.tokens / context.window) * 100);
  };
  return (
    <ViewHead
      title={title()}
      before={
        <button
          type="button"
          class="icon-button phone-only"
          aria-label="Conversations"
          onClick={() => page.show('conversations')}
        >
          <Icon name="menu" />
        </button>
      }
    >
      <ModelChip />
      <Show when={filled() !== undefined}>
        <span class="wide-only">
          <Chip warn={conversation.context()?.level !== 'ok'}>{filled()} % of context</Chip>
        </span>
      </Show>
      <ConversationMenu title={title()} />
      <button
        type="button"
        class="icon-button"
        aria-label="Details of the run"
        title="Details of the run"
        aria-expanded={props.inspector.open()}
        onClick={() => props.inspector.set(!props.inspector.open())}
      >
        <Icon name="panel" />
      </button>
    </ViewHead>
  );
}
