import { Type } from 'typebox';
import { declare, Empty, nullable, record } from './declare.ts';

/** Minutes without anybody at any page of this browser; null: never. */
const AfterMinutes = nullable(Type.Integer({ minimum: 1, maximum: 1440 }));
const Password = Type.String({ minLength: 1, maxLength: 1024 });

/** Whether what this browser stores opens by a password alone, and that password. */
export const diskSyscalls = {
  'sys.password.change': declare({
    doc: 'Changes the password of the caller, also the one by which this browser opens what it stores. It counts in every browser where the GSV is sealed (`everywhere`), in this one alone elsewhere. 403 when the old one is not theirs.',
    args: record({ password: Password, next: Type.String({ minLength: 8, maxLength: 1024 }) }),
    result: record({ everywhere: Type.Boolean() }),
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'sys.disk.get': declare({
    doc: 'Whether this browser asks for a password when GSV starts, and after how many minutes without anybody at it it locks itself. `available` is false on a host that cannot.',
    args: Empty,
    result: record({ available: Type.Boolean(), password: Type.Boolean(), afterMinutes: AfterMinutes }),
    audience: 'tab',
    effect: 'read',
    routable: false,
  }),
  'sys.disk.protect': declare({
    doc: 'From now on what this browser stores opens by the password of the caller alone, at each start and after each lock. 403 when it is not that password.',
    args: record({ password: Password, afterMinutes: AfterMinutes }),
    result: Empty,
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'sys.disk.after': declare({
    doc: 'Changes after how many minutes without anybody at it this browser locks itself; 409 when it asks for no password.',
    args: record({ afterMinutes: AfterMinutes }),
    result: Empty,
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'sys.disk.unprotect': declare({
    doc: 'From now on this browser opens what it stores by itself. 403 when it is not the password of the caller.',
    args: record({ password: Password }),
    result: Empty,
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'sys.disk.lock': declare({
    doc: 'Locks this browser at once: the kernel ends, and the next one waits for the password. What goes on is taken up then. 409 when it asks for none.',
    args: Empty,
    result: Empty,
    audience: 'tab',
    effect: 'write',
    routable: false,
  }),
  'sys.disk.used': declare({
    doc: 'Somebody is at this page; the time after which this browser locks itself begins anew.',
    args: Empty,
    result: Empty,
    audience: 'tab',
    effect: 'read',
    routable: false,
  }),
};
