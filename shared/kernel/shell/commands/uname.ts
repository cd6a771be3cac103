import { type CommandContext, failed, printed, type ShellCommand } from '../command.ts';

const fields: [letter: string, value: (context: CommandContext) => string][] = [
  ['s', () => 'GSV'],
  ['n', ({ hostname }) => hostname],
  ['r', ({ version }) => version],
  ['v', ({ version }) => `GSV ${version}`],
  ['m', () => 'portable'],
  ['o', () => 'GSV'],
];

export const uname: ShellCommand = {
  name: 'uname',
  summary: 'print what system this is',
  usage: 'uname [-asnrvmo]',
  async run(args, context) {
    const letters = args.join('').replaceAll('-', '') || 's';
    const unknown = [...letters].find(
      (letter) => letter !== 'a' && !fields.some(([known]) => known === letter),
    );
    if (unknown !== undefined) return failed('uname', `invalid option -- '${unknown}'`);
    const asked = fields.filter(([letter]) => letters.includes('a') || letters.includes(letter));
    return printed(asked.map(([, value]) => value(context)).join(' '));
  },
};
