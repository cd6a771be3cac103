import { Type } from 'typebox';

/** What the room says of a channel. */
export const Ack = Type.Object({ channel: Type.Integer(), count: Type.Integer({ minimum: 0 }) });
/** `ended`: the document is no more at the room, or not as it was. Rooms of older versions do not say. */
export const Refusal = Type.Object({
  channel: Type.Integer(),
  reason: Type.String(),
  ended: Type.Optional(Type.Boolean()),
});
