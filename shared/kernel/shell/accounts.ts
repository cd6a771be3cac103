import type { Credentials } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';

export type Account = { name: string; id: number; gid: number };
export type Group = { name: string; id: number; members: string[] };

/** Names and numbers of users and groups, as `/etc/passwd` and `/etc/group` have them. */
export type Accounts = { users: Account[]; groups: Group[] };

export async function readAccounts(fs: FileSystem, caller: Credentials): Promise<Accounts> {
  const [passwd, group] = [await lines(fs, '/etc/passwd', caller), await lines(fs, '/etc/group', caller)];
  return {
    users: passwd.map(([name = '', , uid, gid]) => ({ name, id: Number(uid), gid: Number(gid) })),
    groups: group.map(([name = '', , gid, members = '']) => ({
      name,
      id: Number(gid),
      members: members.split(','),
    })),
  };
}

async function lines(fs: FileSystem, path: string, caller: Credentials): Promise<string[][]> {
  const text = new TextDecoder().decode(await fs.readFile(path, caller));
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'));
}

/** The number behind a name, or a number itself. */
export function idOf(list: readonly { name: string; id: number }[], nameOrId: string): number | undefined {
  const known = list.find(({ name }) => name === nameOrId);
  if (known) return known.id;
  return /^\d{1,10}$/.test(nameOrId) ? Number(nameOrId) : undefined;
}

export function nameOf(list: readonly { name: string; id: number }[], id: number): string {
  return list.find((entry) => entry.id === id)?.name ?? String(id);
}
