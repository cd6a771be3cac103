import { Type } from 'typebox';
import { declare, record } from './declare.ts';

/** A subscription to the browser's push service, as the browser gives it; keys in base64url. */
export const PushSubscriptionFields = {
  endpoint: Type.String({ minLength: 1, maxLength: 2048 }),
  p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' }),
  auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
};

/** How the server reaches a browser whose pages are closed (RFC 8030). */
export const pushSyscalls = {
  'notification.push.set': declare({
    doc: 'Lets the server send what is new to this browser while nobody looks at GSV: what kind of news and where, never its contents.',
    args: record(PushSubscriptionFields),
    result: record({ ok: Type.Literal(true) }),
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'notification.push.remove': declare({
    doc: 'Ends that for this browser.',
    args: record({}),
    result: record({ removed: Type.Boolean() }),
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
};
