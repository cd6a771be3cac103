import { Type } from 'typebox';
import { Count, declare, Name, optional, record, Time } from './declare.ts';

/** Of one message that is left at a room. */
export const TELL_CHARACTERS = 64 * 1024;

const Item = record({
  id: Name,
  /** Who left it, as the room knows by its token. */
  uid: Count,
  at: Time,
  /** The key that it is sealed for; 0 when it is in the clear. */
  epoch: Count,
  /** Base64 of JSON `{ text, pid? }`, or of a box that holds it. */
  content: Type.String(),
});

/** What reaches a room while no browser is there, until one takes it. */
export const inboxSyscalls = {
  'proc.tell': declare({
    doc: 'Leaves a message for an agent at the server: for the process `pid`, else the person’s home. A browser delivers it, at once when one is there. Under the same key it is left once. In a sealed GSV it is sealed before it is stored.',
    args: record({ text: Type.String({ minLength: 1, maxLength: TELL_CHARACTERS }), pid: optional(Name) }),
    result: record({ id: Name, online: Type.Boolean() }),
    audience: 'user',
    effect: 'write',
    routable: false,
  }),
  'inbox.list': declare({
    doc: 'The oldest things that were left at this room, and how many there are.',
    args: record({}),
    result: record({ items: Type.Array(Item), total: Count }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
  'inbox.forget': declare({
    doc: 'Says that these have been delivered.',
    args: record({ ids: Type.Array(Name, { maxItems: 1000 }) }),
    result: record({ forgotten: Count }),
    audience: 'kernel',
    effect: 'write',
    routable: false,
  }),
};
