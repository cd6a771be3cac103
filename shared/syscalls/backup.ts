import { Type } from 'typebox';
import { Count, declare, Empty, Name, nullable, record, Time } from './declare.ts';

export const backupSyscalls = {
  'sys.backup.list': declare({
    doc: 'The whole copies that this browser made of all that it stores before an update changed how it is stored, newest first. Each goes by itself after 30 days, or when the next one is made. `bytes` is null where it was not counted.',
    args: Empty,
    result: record({
      backups: Type.Array(record({ name: Name, version: Count, createdAt: Time, bytes: nullable(Count) })),
    }),
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
  'sys.backup.remove': declare({
    doc: 'Removes such a copy, and makes room.',
    args: record({ name: Name }),
    result: record({ removed: Type.Boolean() }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
};
