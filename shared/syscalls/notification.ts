import { Type } from 'typebox';
import { Count, declare, literals, Name, nullable, optional, record, Time } from './declare.ts';

const Action = record({
  kind: Name,
  label: Name,
  target: optional(Name),
  args: optional(Type.Record(Type.String(), Type.Unknown())),
});
const Level = literals(['info', 'success', 'warning', 'error']);
const Source = Type.Union([
  record({ kind: Type.Literal('user') }),
  record({ kind: Type.Literal('process'), processId: Name }),
  record({ kind: Type.Literal('app'), packageId: Name, packageName: Name, entrypointName: Name }),
]);
export const NotificationRecord = record({
  notificationId: Name,
  title: Type.String(),
  body: optional(Type.String()),
  level: Level,
  createdAt: Time,
  readAt: nullable(Time),
  dismissedAt: nullable(Time),
  expiresAt: nullable(Time),
  actions: Type.Array(Action),
  source: Source,
});
export type NotificationRecord = Type.Static<typeof NotificationRecord>;
const One = record({ notificationId: Name });
const Changed = record({ notification: nullable(NotificationRecord) });

export const notificationSyscalls = {
  'notification.create': declare({
    doc: 'Tells the user something that lasts: until read and a week, until dismissed and three days, or until `ttlMs` (1 second to 90 days; 30 days unless given).',
    args: record({
      title: Type.String({ minLength: 1, maxLength: 200 }),
      body: optional(Type.String({ maxLength: 4000 })),
      level: optional(Level),
      actions: optional(Type.Array(Action, { maxItems: 4 })),
      ttlMs: optional(Count),
    }),
    result: record({ notification: NotificationRecord }),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'notification.list': declare({
    doc: 'Lists the caller’s notifications, newest first: read ones too unless `includeRead` is false, dismissed ones only on request.',
    args: record({
      includeRead: optional(Type.Boolean()),
      includeDismissed: optional(Type.Boolean()),
      limit: optional(Type.Integer()),
    }),
    result: record({ notifications: Type.Array(NotificationRecord) }),
    audience: 'user',
    effect: 'read',
    routable: false,
  }),
  'notification.mark_read': declare({
    doc: 'Marks a notification as read; null when there is none of the caller’s with this id.',
    args: One,
    result: Changed,
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'notification.attend': declare({
    doc: 'A page says whether its person sees it, and which process it shows: of that they are not notified.',
    args: record({ visible: Type.Boolean(), pid: optional(Name) }),
    result: record({ ok: Type.Literal(true) }),
    audience: 'tab',
    effect: 'read',
    routable: false,
  }),
  'notification.dismiss': declare({
    doc: 'Takes a notification off the list; null when there is none of the caller’s with this id.',
    args: One,
    result: Changed,
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
};
