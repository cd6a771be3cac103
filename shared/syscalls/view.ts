import { Type } from 'typebox';
import { Count, declare, literals, Name, optional, record } from './declare.ts';
import { ConversationId } from './proc.ts';
import { ViewRow } from './view-row.ts';

export const viewSyscalls = {
  'view.open': declare({
    doc: 'Subscribes a page to live rows. The answer holds the rows of now; `view.patch` signals follow, at most one per animation frame.',
    args: record({
      view: literals([
        'processes',
        'conversation',
        'conversations',
        'devices',
        'status',
        'replicas',
        'notifications',
        'schedules',
      ]),
      /** Of `conversation` and `conversations`. */
      pid: optional(Name),
      conversationId: optional(ConversationId),
      /** Newest messages to send at first; a conversation only. */
      tail: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    }),
    result: record({ viewId: Name, rows: Type.Array(ViewRow), total: Count }),
    audience: 'tab',
    effect: 'read',
    routable: false,
  }),
  'view.close': declare({
    doc: 'Ends a subscription.',
    args: record({ viewId: Name }),
    result: record({ closed: Type.Boolean() }),
    audience: 'tab',
    effect: 'read',
    routable: false,
  }),
};
