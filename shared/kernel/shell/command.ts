import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Credentials } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Syscalls } from '../handler.ts';

export type CommandResult = { stdout: string; stderr: string; exitCode: number };

/** What a command of ours may see and do. */
export type CommandContext = {
  fs: FileSystem;
  /** The caller, with the shell's current directory as `cwd`. */
  credentials: Credentials;
  identity: ProcessIdentity;
  /** All commands of our own. */
  commands: readonly ShellCommand[];
  /** Every syscall as this caller, through every check. */
  syscalls: Syscalls;
  hostname: string;
  version: string;
  signal: AbortSignal;
  /** Standard input as text. */
  stdin: () => string;
  /** The shell's own command of this name, where it has one. */
  original: (args: string[]) => Promise<CommandResult>;
};

/** A command of the native shell beyond the shell's own. Declared once, in `commands.ts`. */
export type ShellCommand = {
  name: string;
  /** One line, for `man`. */
  summary: string;
  /** The forms it is called in, one a line. */
  usage: string;
  /** What else there is to know, for `man` and `--help`. */
  notes?: string;
  /** Expected failures are results; a thrown FsError or SyscallError becomes a line on standard error. */
  run(args: string[], context: CommandContext): Promise<CommandResult>;
};

export function printed(text: string): CommandResult {
  return { stdout: text === '' || text.endsWith('\n') ? text : `${text}\n`, stderr: '', exitCode: 0 };
}

export function failed(name: string, message: string, exitCode = 1): CommandResult {
  return { stdout: '', stderr: `${name}: ${message}\n`, exitCode };
}

/** For arguments that make no sense. */
export function misused({ usage }: Pick<ShellCommand, 'usage'>): CommandResult {
  return { stdout: '', stderr: `usage: ${usage.replaceAll('\n', '\n       ')}\n`, exitCode: 2 };
}

/** Rows of text in columns as wide as their widest cell; the first row is the heading. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
