import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of `programs/` in a process of its own; `firstLine` is what it printed when it was ready. */
export type Program = { firstLine: string; stop(): void };

export async function startProgram(name: string, ...args: string[]): Promise<Program> {
  const path = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  return { firstLine: String(text).trim(), stop: () => void child.kill() };
}
