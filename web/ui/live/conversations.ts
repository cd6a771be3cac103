import { type Accessor, createMemo } from 'solid-js';
import { DEFAULT_CONVERSATION } from '../../../shared/state/conversation-names.ts';
import type { ConversationRow } from '../../../shared/state/system.ts';
import type { Gsv } from '../../client/gsv.ts';
import { createRows } from './rows.ts';

export type LiveConversation = ConversationRow;

/** The open conversations of a process, the newest used first. */
export function createConversations(gsv: Gsv, pid: Accessor<string>): Accessor<readonly LiveConversation[]> {
  const view = createRows<ConversationRow>(gsv, () => ({ view: 'conversations', pid: pid() }));
  return createMemo(() =>
    [...view.rows().values()]
      .filter(({ status }) => status === 'open')
      .sort((a, b) => b.updatedAt - a.updatedAt),
  );
}

export function conversationTitle(
  row: Pick<LiveConversation, 'title' | 'conversationId'> | undefined,
): string {
  if (row?.title) return row.title;
  return row === undefined || row.conversationId === DEFAULT_CONVERSATION ? 'First conversation' : 'Untitled';
}
