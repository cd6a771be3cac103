import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The root of the repository, without a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/**
 * Runs a program in the root of the repository and waits for its end. Never rejects: a program that cannot be
 * started has the code 127 and the reason as its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: Record<string, string>, output?: 'collect' | 'show', limitMs?: number, givesWay?: boolean}} [options]
 *   `show` prints as it comes. A program that runs longer than `limitMs` is ended with everything it started, and has
 *   the code 124. One that gives way has the processor when others leave it.
 * @returns {Promise<{code: number, output: string}>} `output` is what it printed, without colours; empty with `show`.
 */
export function run(command, args, { env = {}, output = 'collect', limitMs, givesWay = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that all of it can be ended.
      detached: limitMs !== undefined,
    });
    if (givesWay) giveWay(child.pid);
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const late = limitMs === undefined ? null : limitTime(child, limitMs);
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) => {
      const ended = late?.stop() ? 124 : (code ?? 1);
      resolve({ code: ended, output: stripVTControlCharacters(Buffer.concat(chunks).toString()) });
    });
  });
}

/** Its threads and what it starts do, too. A host that knows no priorities leaves it as it is. */
function giveWay(pid) {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It runs as everything else does.
  }
}

/** Ends a program's group when its time is over or this program is told to end. `stop` tells whether it was late. */
function limitTime(child, limitMs) {
  let late = false;
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const onSignal = () => {
    end();
    process.exit(130);
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, limitMs);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, onSignal);
  const stop = () => {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, onSignal);
    return late;
  };
  return { stop };
}

/** The last lines of what a program printed: where the reason of a failure stands. */
export function tail(output, lines = 30) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}
