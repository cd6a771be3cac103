import { nameOf, readAccounts } from '../accounts.ts';
import { columns, printed, type ShellCommand } from '../command.ts';

export const ps: ShellCommand = {
  name: 'ps',
  summary: 'list processes',
  usage: 'ps',
  async run(_args, { fs, credentials, syscalls, signal }) {
    const { processes } = await syscalls.call('proc.list', {}, { signal });
    const { users } = await readAccounts(fs, credentials);
    const rows = processes.map((row) => [
      row.pid,
      nameOf(users, row.uid),
      row.state,
      row.profile,
      row.label ?? '-',
    ]);
    return printed(columns([['PID', 'USER', 'STATE', 'PROFILE', 'LABEL'], ...rows]));
  },
};
