import { failed, printed, type ShellCommand } from '../command.ts';

export const hostname: ShellCommand = {
  name: 'hostname',
  summary: 'print the name of this GSV',
  usage: 'hostname',
  async run(args, { hostname: name }) {
    if (args.length > 0) return failed('hostname', 'set it by writing /sys/config/config/server/name');
    return printed(name);
  },
};
