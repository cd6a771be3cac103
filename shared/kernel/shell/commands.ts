import type { ShellCommand } from './command.ts';
import { chmod } from './commands/chmod.ts';
import { chown } from './commands/chown.ts';
import { cp } from './commands/cp.ts';
import { crontab } from './commands/crontab.ts';
import { hostname } from './commands/hostname.ts';
import { id } from './commands/id.ts';
import { man } from './commands/man.ts';
import { notify } from './commands/notify.ts';
import { proc } from './commands/proc.ts';
import { ps } from './commands/ps.ts';
import { sched } from './commands/sched.ts';
import { skills } from './commands/skills.ts';
import { targets } from './commands/targets.ts';
import { uname } from './commands/uname.ts';
import { whoami } from './commands/whoami.ts';

/** Every command of our own, in the order `man` lists them. */
export const shellCommands: readonly ShellCommand[] = [
  chmod,
  chown,
  cp,
  crontab,
  hostname,
  id,
  man,
  notify,
  proc,
  ps,
  sched,
  skills,
  targets,
  uname,
  whoami,
];
