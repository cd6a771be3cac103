import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from './server.ts';

const script = fileURLToPath(new URL('../../scripts/dev-partykit.mjs', import.meta.url));

/** The room under `partykit dev`, as `npm run dev:partykit` starts it. Rejects with what it printed. */
export async function startPartyKit() {
  const data = mkdtempSync(join(tmpdir(), 'gsv-partykit-'));
  const port = await freePort();
  const child = spawn(process.execPath, [script, '--port', String(port), '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (printed += text));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`partykit dev ended: ${printed}`);
    return answers(url);
  }, 'partykit dev to start');
  return {
    url,
    socketUrl: `ws://127.0.0.1:${port}/ws`,
    claimSecret: readFileSync(join(data, 'claim'), 'utf8').trim(),
    stop: async (): Promise<void> => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await waitFor(async () => !(await answers(url)), 'partykit dev to be gone');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}

/** The runner cannot say which port it chose, so it is told one that is free now. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
