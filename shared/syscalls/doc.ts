import { Type } from 'typebox';
import { Count, declare, Name, record } from './declare.ts';

export const docSyscalls = {
  'doc.open': declare({
    doc: 'Opens the sync channel of one document between a replica and its room; y-protocols messages follow as binary frames on `channel`, and the room confirms stored updates by `doc.ack` signals.',
    args: record({ doc: Name, channel: Type.Integer({ minimum: 1, maximum: 0xffffffff }) }),
    result: record({ seq: Count }),
    audience: 'kernel',
    effect: 'read',
    routable: false,
  }),
};
