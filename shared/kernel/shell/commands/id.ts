import { type Accounts, nameOf, readAccounts } from '../accounts.ts';
import { type CommandContext, failed, printed, type ShellCommand } from '../command.ts';

type Who = { uid: number; gid: number; gids: number[] };

export const id: ShellCommand = {
  name: 'id',
  summary: 'print user and group numbers',
  usage: 'id [-u|-g|-G] [-n] [USER]',
  async run(args, context) {
    const flags = args
      .filter((arg) => arg.startsWith('-'))
      .join('')
      .replaceAll('-', '');
    const user = args.find((arg) => !arg.startsWith('-'));
    const accounts = await readAccounts(context.fs, context.credentials);
    const who = lookUp(user, accounts, context);
    if (!who) return failed('id', `'${user}': no such user`);
    return printed(describe(who, flags, accounts));
  },
};

function lookUp(
  user: string | undefined,
  { users, groups }: Accounts,
  { identity }: CommandContext,
): Who | undefined {
  if (user === undefined || user === identity.username) return identity;
  const account = users.find(({ name }) => name === user);
  if (!account) return undefined;
  const others = groups.filter(({ members }) => members.includes(user)).map((group) => group.id);
  return { uid: account.id, gid: account.gid, gids: [...new Set([account.gid, ...others])] };
}

function describe({ uid, gid, gids }: Who, flags: string, { users, groups }: Accounts): string {
  const shown = (list: Accounts['users'] | Accounts['groups'], number: number) =>
    flags.includes('n') ? nameOf(list, number) : String(number);
  if (flags.includes('u')) return shown(users, uid);
  if (flags.includes('G')) return gids.map((number) => shown(groups, number)).join(' ');
  if (flags.includes('g')) return shown(groups, gid);
  const both = (number: number) => `${number}(${nameOf(groups, number)})`;
  return `uid=${uid}(${nameOf(users, uid)}) gid=${both(gid)} groups=${gids.map(both).join(',')}`;
}
