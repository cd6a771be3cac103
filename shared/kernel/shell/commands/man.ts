import { table } from '../../../syscalls/table.ts';
import { columns, failed, printed, type ShellCommand } from '../command.ts';

export const man: ShellCommand = {
  name: 'man',
  summary: 'explain a command of GSV or a syscall',
  usage: 'man [COMMAND|SYSCALL]',
  async run([topic], { commands, original }) {
    if (topic === undefined) return printed(contents(commands));
    const command = commands.find(({ name }) => name === topic);
    if (command) return printed(commandPage(command));
    const syscall = Object.entries(table).find(([name]) => name === topic);
    if (syscall) return printed(syscallPage(...syscall));
    const help = await original([topic]);
    return help.exitCode === 0 ? help : failed('man', `no manual entry for ${topic}`);
  },
};

function contents(list: readonly ShellCommand[]): string {
  const commands = columns(list.map(({ name, summary }) => [name, summary]));
  return `Commands of GSV (others: NAME --help):\n${commands}\n\nSyscalls:\n${Object.keys(table).join(' ')}`;
}

function commandPage({ name, summary, usage, notes }: ShellCommand): string {
  return `${name} - ${summary}\n\n${usage}${notes === undefined ? '' : `\n\n${notes}`}`;
}

type Schema = {
  properties?: Record<string, Schema>;
  required?: string[];
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  const?: unknown;
  description?: string;
};

function syscallPage(
  name: string,
  { doc, args, routable }: { doc: string; args: unknown; routable: boolean },
): string {
  const { properties = {}, required = [] } = args as Schema;
  const rows = Object.entries(properties).map(([field, schema]) => [
    `  ${field}${required.includes(field) ? '' : '?'}`,
    typeName(schema),
    schema.description ?? '',
  ]);
  const where = routable ? 'Runs on gsv or on a device.' : 'Runs on gsv.';
  return `${name} - ${doc}\n${where}\n\nArguments:\n${rows.length > 0 ? columns(rows) : '  none'}`;
}

function typeName(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ');
  return schema.type ?? 'any';
}
