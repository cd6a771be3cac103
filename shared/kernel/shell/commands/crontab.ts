import { FsError } from '../../fs/fs-error.ts';
import {
  type CommandContext,
  type CommandResult,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';

export const crontab: ShellCommand = {
  name: 'crontab',
  summary: 'list or replace the schedules that run commands',
  usage: `crontab -l
crontab FILE
crontab -            (from standard input)
crontab -r
Lines: minute hour day month weekday command; also @daily and its like, and CRON_TZ=Zone for the lines behind it.
The comment above a line is kept with it; a line that begins with "#off " is switched off. sched makes all other kinds.`,
  async run([what, ...rest], context) {
    if (what === undefined || rest.length > 0) return misused(crontab);
    if (what === '-e')
      return failed('crontab', 'there is no editor: use crontab -l, change it, crontab FILE', 2);
    if (what === '-l') return list(context);
    if (what === '-r') return replace(context, '');
    if (what === '-') return replace(context, context.stdin());
    if (what.startsWith('-')) return misused(crontab);
    const bytes = await context.fs.readFile(what, context.credentials);
    return replace(context, new TextDecoder().decode(bytes));
  },
};

async function list(context: CommandContext): Promise<CommandResult> {
  try {
    const bytes = await context.fs.readFile(pathOf(context), context.credentials);
    return printed(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof FsError) || error.code !== 'ENOENT') throw error;
    return failed('crontab', `no crontab for ${context.identity.username}`);
  }
}

async function replace(context: CommandContext, text: string): Promise<CommandResult> {
  await context.fs.writeFile(pathOf(context), new TextEncoder().encode(text), context.credentials);
  return printed('');
}

function pathOf({ identity }: CommandContext): string {
  return `/var/spool/cron/${identity.username}`;
}
