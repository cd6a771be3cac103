import { type Accessor, createContext, useContext } from 'solid-js';
import { DEFAULT_CONVERSATION } from '../../../../shared/state/conversation-names.ts';
import type { Attachments } from '../../live/attachments.ts';
import type { About, Conversation, Place } from '../../live/conversation.ts';
import type { LiveConversation } from '../../live/conversations.ts';
import type { Elsewhere } from '../../live/elsewhere.ts';
import type { LiveProcess } from '../../live/processes.ts';

export type Chat = {
  pid: Accessor<string>;
  place: Accessor<Place>;
  /** What calls about this conversation say. */
  about: Accessor<About>;
  conversations: Accessor<readonly LiveConversation[]>;
  process: Accessor<LiveProcess | undefined>;
  conversation: Conversation;
  running: Accessor<boolean>;
  /** The other browser that drives the run; null when it is this one, or nothing runs. */
  owner: Accessor<Elsewhere | null>;
  /** Cards that were folded or unfolded by hand, by call: they stay so when they are scrolled away and back. */
  folds: Map<string, boolean>;
  /** What stands in the message box. */
  draft: Accessor<string>;
  setDraft(text: string): void;
  /** What goes with the next message. */
  attachments: Accessor<Attachments>;
  /** How many messages were sent from here: each one leads its sender to the end of the conversation. */
  sent: Accessor<number>;
  countSent(): void;
};

export const ChatContext = createContext<Chat>();

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (chat === undefined) throw new Error('A part of the chat was used outside of it.');
  return chat;
}

/** Under which the browser remembers what was being written. */
export const draftName = ({ pid, conversationId }: Place): string =>
  conversationId === DEFAULT_CONVERSATION ? `draft.${pid}` : `draft.${pid}/${conversationId}`;
