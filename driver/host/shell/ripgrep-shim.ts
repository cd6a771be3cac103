import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Without a path, ripgrep searches its standard input where that could be read, and so would wait in a session for
 * input that never comes. A session's own input is a socket; what a pipeline or a file gives is not.
 */
function shim(ripgrep: string): string {
  const quoted = `'${ripgrep.replaceAll("'", "'\\''")}'`;
  return `#!/bin/sh\nif [ -S /dev/stdin ]; then exec ${quoted} "$@" </dev/null; fi\nexec ${quoted} "$@"\n`;
}

/** The environment with an `rg` that does not wait for a session's input; unchanged where there is no ripgrep. */
export function withRipgrepShim(environment: NodeJS.ProcessEnv, stateDirectory: string): NodeJS.ProcessEnv {
  const directory = join(stateDirectory, 'bin');
  const searched = (environment.PATH ?? '')
    .split(delimiter)
    .filter((path) => path !== '' && path !== directory);
  const ripgrep = searched.map((path) => join(path, 'rg')).find(isExecutable);
  if (ripgrep === undefined || !install(directory, shim(ripgrep))) return environment;
  return { ...environment, PATH: [directory, ...searched].join(delimiter) };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the shim stands and can be run; not so on a disk that runs no programs. */
function install(directory: string, script: string): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'rg');
    writeFileSync(path, script, { mode: 0o700 });
    return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
  } catch {
    return false;
  }
}
