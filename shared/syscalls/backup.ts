import { Type } from 'typebox';
import { Count, declare, Empty, Name, nullable, record, Time } from './declare.ts';

const Copy = record({
  name: Name,
  version: Count,
  createdAt: Time,
  bytes: nullable(Count),
  /** It was made before somebody went back to another copy. */
  returning: Type.Boolean(),
  /** When what it holds last became what is stored, or could not. */
  restored: nullable(record({ at: Time, done: Type.Boolean() })),
});

export const backupSyscalls = {
  'sys.backup.list': declare({
    doc: 'The whole copies that this browser made of all that it stores before an update changed how it is stored, or before its owner went back to one of them (`returning`), newest first. Each goes by itself after 30 days, or when the next update makes one. `bytes` is null where it was not counted; `restored` says when somebody went back to it last, and whether that was done.',
    args: Empty,
    result: record({ backups: Type.Array(Copy) }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.backup.export': declare({
    doc: 'Writes such a copy to one file, as `sys.export` writes what is stored now: an empty GSV can be filled from it.',
    args: record({ name: Name }),
    result: record({ name: Type.String() }),
    audience: 'person',
    effect: 'read',
    routable: false,
    bytes: 'out',
  }),
  'sys.backup.restore': declare({
    doc: 'Goes back to such a copy: it becomes all that this browser stores, with the passwords, keys and tokens of then. What is stored now is copied first (`kept`) and stands among the copies from then on. The kernel ends after its answer, and the next one starts on the copy, which belongs to no server: this browser leaves the one it has, and what the server and other browsers hold stays.',
    args: record({ name: Name }),
    result: record({ kept: Copy }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.backup.remove': declare({
    doc: 'Removes such a copy, and makes room.',
    args: record({ name: Name }),
    result: record({ removed: Type.Boolean() }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
};
