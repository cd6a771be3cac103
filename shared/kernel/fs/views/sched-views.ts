import { SyscallError } from '../../../protocol/errors.ts';
import type { UserRow } from '../../../state/control.ts';
import type { SystemTables } from '../../../state/system.ts';
import type { Crontabs } from '../../sched/crontabs.ts';
import { logText } from '../../sched/log.ts';
import type { Schedules } from '../../sched/schedules.ts';
import { type Credentials, mayCall } from '../credentials.ts';
import { FsError } from '../fs-error.ts';
import { type FileNode, type Tree, treeView } from './tree.ts';
import { textFile, type View } from './view.ts';

type Users = Pick<SystemTables, 'users'>;
const FILE_MODE = 0o600;
const CRONTABS = '/var/spool/cron';

/** `/var/spool/cron/<user>`: the schedules of a user as a crontab; written, the schedules are what it says. */
export function cronView(tables: Users, crontabs: Crontabs): View {
  return treeView((caller) => {
    const files = new Map<string, Tree>();
    for (const user of visible(tables, caller)) {
      const text = crontabs.read(user.uid);
      if (text !== '') files.set(user.username, crontab(user, text, crontabs, caller));
    }
    return {
      children: () => files,
      write: ([name = ''], bytes) => fresh(tables, crontabs, caller, name, bytes),
    };
  });
}

/** `/var/log/gsv/scheduler/<user>`: the runs of a user's schedules that are remembered. */
export function schedulerLogView(tables: Users, schedules: Schedules): View {
  return treeView((caller) => {
    const files = new Map<string, Tree>();
    for (const { uid, gid, username } of visible(tables, caller)) {
      const rows = schedules.rows(uid);
      const read = () =>
        textFile(logText(rows.flatMap((row) => schedules.runsOf(row.id).map((run) => ({ row, run })))));
      if (rows.length > 0) files.set(username, { mode: FILE_MODE, uid, gid, read });
    }
    return { children: () => files };
  });
}

function visible({ users }: Users, caller: Credentials): UserRow[] {
  if (!mayCall(caller, 'sched.list')) return [];
  return users.rows().filter(({ uid }) => caller.uid === 0 || caller.uid === uid);
}

function crontab(
  { uid, gid, username }: UserRow,
  text: string,
  crontabs: Crontabs,
  caller: Credentials,
): FileNode {
  const write = (bytes: Uint8Array): Promise<void> => replace(crontabs, username, bytes, caller);
  return { mode: FILE_MODE, uid, gid, read: () => textFile(text), write };
}

/** A user's first; nobody writes another's but root. */
async function fresh(
  tables: Users,
  crontabs: Crontabs,
  caller: Credentials,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  if (!visible(tables, caller).some(({ username }) => username === name))
    throw new FsError('EACCES', `${CRONTABS}/${name}`);
  await replace(crontabs, name, bytes, caller);
}

async function replace(
  crontabs: Crontabs,
  name: string,
  bytes: Uint8Array,
  caller: Credentials,
): Promise<void> {
  const path = `${CRONTABS}/${name}`;
  if (!mayCall(caller, 'sched.add')) throw new FsError('EACCES', path);
  try {
    await crontabs.write(name, new TextDecoder().decode(bytes), caller);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new FsError(error.code === 403 ? 'EACCES' : 'EINVAL', path, error.message);
  }
}
