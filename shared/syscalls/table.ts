import type { Static } from 'typebox';
import { aiSyscalls } from './ai.ts';
import { aiLocalSyscalls } from './ai-local.ts';
import { backupSyscalls } from './backup.ts';
import { blobSyscalls } from './blob.ts';
import { conversationSyscalls } from './conversation.ts';
import type { Syscall } from './declare.ts';
import { deviceSyscalls } from './device.ts';
import { diskSyscalls } from './disk.ts';
import { docSyscalls } from './doc.ts';
import { fsSyscalls } from './fs.ts';
import { inboxSyscalls } from './inbox.ts';
import { ipcSyscalls, signalSyscalls } from './ipc.ts';
import { leaseSyscalls } from './lease.ts';
import { mediaSyscalls } from './media.ts';
import { notificationSyscalls } from './notification.ts';
import { procSyscalls } from './proc.ts';
import { pushSyscalls } from './push.ts';
import { schedSyscalls } from './sched.ts';
import { sealSyscalls } from './seal.ts';
import { shellSyscalls } from './shell.ts';
import { sysSyscalls } from './sys.ts';
import { usageSyscalls } from './usage.ts';
import { viewSyscalls } from './view.ts';

/** THE table: every syscall there is (DESIGN 2.2). A name that is not in it answers 404. */
export const table = {
  ...sysSyscalls,
  ...backupSyscalls,
  ...diskSyscalls,
  ...fsSyscalls,
  ...shellSyscalls,
  ...procSyscalls,
  ...conversationSyscalls,
  ...usageSyscalls,
  ...ipcSyscalls,
  ...signalSyscalls,
  ...mediaSyscalls,
  ...aiSyscalls,
  ...aiLocalSyscalls,
  ...viewSyscalls,
  ...notificationSyscalls,
  ...schedSyscalls,
  ...sealSyscalls,
  ...pushSyscalls,
  ...docSyscalls,
  ...blobSyscalls,
  ...leaseSyscalls,
  ...deviceSyscalls,
  ...inboxSyscalls,
} as const satisfies Record<string, Syscall>;

export type SyscallName = keyof typeof table;
export type Args<Name extends SyscallName> = Static<(typeof table)[Name]['args']>;
export type Result<Name extends SyscallName> = Static<(typeof table)[Name]['result']>;

/** What a replica asks of its room, and no kernel answers. */
export type RoomSyscall =
  | keyof typeof docSyscalls
  | keyof typeof blobSyscalls
  | keyof typeof leaseSyscalls
  | keyof typeof deviceSyscalls
  | keyof typeof inboxSyscalls;

export const syscallNames = Object.keys(table) as SyscallName[];

export function isSyscall(name: string): name is SyscallName {
  return Object.hasOwn(table, name);
}

/** The signals that a kernel sends, in the order of FACTS "Signals". */
export const signalNames = [
  'proc.run.started',
  'proc.run.stream',
  'proc.run.output',
  'proc.run.tool.started',
  'proc.run.tool.output',
  'proc.run.tool.finished',
  'proc.run.hil.requested',
  'proc.run.finished',
  'proc.changed',
  'device.status',
  'ai.local.changed',
  'sys.disk.changed',
  'notification.created',
  'notification.updated',
  'notification.dismissed',
  'view.patch',
] as const;
export type SignalName = (typeof signalNames)[number];
