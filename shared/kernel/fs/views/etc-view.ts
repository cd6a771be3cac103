import type { SystemTables } from '../../../state/system.ts';
import { treeView } from './tree.ts';
import { textFile, type View } from './view.ts';

const SHELL = '/bin/bash';

/** `/etc/{passwd,group,shadow}`, made of the account tables. Password hashes are not in them and never shown. */
export function etcView(tables: SystemTables): View {
  const users = () => tables.users.rows().sort((a, b) => a.uid - b.uid);
  const nameOf = (uid: number) => tables.users.get(String(uid))?.username ?? String(uid);
  const passwd = () =>
    users().map((user) => `${user.username}:x:${user.uid}:${user.gid}::${user.home}:${SHELL}`);
  const shadow = () => users().map((user) => `${user.username}:*:::::::`);
  const group = () =>
    tables.groups
      .rows()
      .sort((a, b) => a.gid - b.gid)
      .map(({ name, gid, members }) => `${name}:x:${gid}:${members.map(nameOf).join(',')}`);
  const lines = (make: () => string[], mode: number) => ({ mode, read: () => textFile(make().join('\n')) });
  const children = new Map([
    ['group', lines(group, 0o444)],
    ['passwd', lines(passwd, 0o444)],
    ['shadow', lines(shadow, 0o400)],
  ]);
  return treeView(() => ({ children: () => children }));
}
