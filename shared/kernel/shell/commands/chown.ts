import { type Accounts, idOf, readAccounts } from '../accounts.ts';
import { failed, misused, printed, type ShellCommand } from '../command.ts';
import { eachFile, fromCwd } from '../walk-files.ts';

export const chown: ShellCommand = {
  name: 'chown',
  summary: 'change owner and group',
  usage: 'chown [-R] [USER][:GROUP] FILE...',
  async run(args, context) {
    const recursive = args[0] === '-R' || args[0] === '--recursive';
    const [spec, ...paths] = recursive ? args.slice(1) : args;
    if (spec === undefined || paths.length === 0) return misused(chown);
    const owner = ownerOf(spec, await readAccounts(context.fs, context.credentials));
    if (!owner) return failed('chown', `invalid user or group: '${spec}'`);
    for (const path of paths) {
      for await (const file of eachFile(fromCwd(path, context), recursive, context)) {
        await context.fs.chown(file, owner, context.credentials);
      }
    }
    return printed('');
  },
};

function ownerOf(spec: string, { users, groups }: Accounts): { uid?: number; gid?: number } | undefined {
  const [user = '', group = '', ...rest] = spec.split(':');
  const uid = user === '' ? undefined : idOf(users, user);
  const gid = group === '' ? undefined : idOf(groups, group);
  const understood =
    rest.length === 0 && (user === '') === (uid === undefined) && (group === '') === (gid === undefined);
  if (!understood || spec === '' || spec === ':') return undefined;
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}
