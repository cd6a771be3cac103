import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The root of the repository, without a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/**
 * Runs a program in the root of the repository and waits for its end. Never rejects: a program that cannot be
 * started has the code 127 and the reason as its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{env?: Record<string, string>, output?: 'collect' | 'show'}} [options] `show` prints as it comes.
 * @returns {Promise<{code: number, output: string}>} `output` is what it printed, without colours; empty with `show`.
 */
export function run(command, args, { env = {}, output = 'collect' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: stripVTControlCharacters(Buffer.concat(chunks).toString()) }),
    );
  });
}

/** The last lines of what a program printed: where the reason of a failure stands. */
export function tail(output, lines = 30) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}
