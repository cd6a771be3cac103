import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

export type CommandProcess = ChildProcessByStdio<Writable, Readable, null>;

/** What every command on this machine starts with. */
export type ShellSettings = { shell: string; environment: NodeJS.ProcessEnv };

/** Linux takes at most 128 KiB in one argument; a longer command is run from a file. */
const LONGEST_ARGUMENT = 100 * 1024;
const posixShells = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash'];

/** The user's shell if it speaks POSIX, else /bin/sh; the user's environment without what is ours. */
export function shellSettings(environment: NodeJS.ProcessEnv, deviceId: string): ShellSettings {
  const { GSV_TOKEN: _token, GSV_PASSWORD: _password, ...rest } = environment;
  const wanted = environment.SHELL ?? '';
  const shell = posixShells.includes(basename(wanted)) ? wanted : '/bin/sh';
  return { shell, environment: { ...withCarefulGit(rest), GSV_TARGET: deviceId } };
}

/**
 * A directory of plain files that looks like a bare repository has settings that git runs, and anybody can write one:
 * git takes such a repository only where it is named by `--git-dir`. The user's own settings of this kind stay.
 */
function withCarefulGit(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const count = Number(environment.GIT_CONFIG_COUNT ?? 0);
  return {
    ...environment,
    [`GIT_CONFIG_KEY_${count}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${count}`]: 'explicit',
    GIT_CONFIG_COUNT: String(count + 1),
  };
}

/**
 * Starts a command as the leader of its own session and process group. A first shell joins standard error to
 * standard output and is then replaced: with one pipe, the two arrive in the order they were written.
 */
export function startCommand(
  command: string,
  cwd: string,
  { shell, environment }: ShellSettings,
): CommandProcess {
  const script = Buffer.byteLength(command) > LONGEST_ARGUMENT ? writeScript(command) : undefined;
  const parts = script ? [script.path] : ['-c', command];
  const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', shell, ...parts], {
    cwd,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (script) child.once('close', script.remove);
  // A command may end before it has read what was written to it.
  child.stdin.on('error', () => {});
  return child;
}

function writeScript(command: string): { path: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'gsv-command-'));
  const path = join(directory, 'command');
  writeFileSync(path, command, { mode: 0o600 });
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
