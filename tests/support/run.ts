import { spawn } from 'node:child_process';

export type Finished = { code: number | null; stdout: string; stderr: string };

/**
 * Runs a program to its end. Rejects when it cannot be started, or when it ends badly (with what it printed), unless
 * `mayFail`.
 */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string>; mayFail?: boolean } = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 || options.mayFail) resolve({ code, stdout, stderr });
      else reject(new Error(`${command} ended with ${code}\n${stdout}${stderr}`));
    });
  });
}
