import { printed, type ShellCommand } from '../command.ts';

export const whoami: ShellCommand = {
  name: 'whoami',
  summary: 'print the name of the user',
  usage: 'whoami',
  run: async (_args, { identity }) => printed(identity.username),
};
