import { readFileSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { UsageError } from '../usage.ts';

/** What a terminal gives that can take a secret. */
export type Prompt = {
  input: Readable & { isTTY?: boolean; setRawMode?(on: boolean): void };
  output: Writable;
};

const SHARED_BITS = 0o077;

/**
 * The token, from `--token-file`, else from GSV_TOKEN (which is taken out of the environment), else typed at the
 * terminal. Never from the command line, which every user of a machine can see. Rejects with UsageError.
 */
export async function findToken(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  prompt: Prompt,
): Promise<string> {
  const inherited = environment.GSV_TOKEN;
  delete environment.GSV_TOKEN;
  const token = (
    file === undefined ? (inherited ?? (await askFor('Token: ', prompt))) : readTokenFile(file)
  ).trim();
  if (!/^[\x21-\x7e]{1,256}$/.test(token))
    throw new UsageError('The token is empty or malformed: paste it as it was shown');
  return token;
}

function readTokenFile(path: string): string {
  try {
    const { mode } = statSync(path);
    if ((mode & SHARED_BITS) !== 0) {
      throw new UsageError(`The token file can be used by others on this machine: run  chmod 600 ${path}`);
    }
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`The token file cannot be read: ${path}`);
  }
}

const ENTER = /[\r\n]/;
const INTERRUPT = '\x03';
const ERASE = new Set(['\b', '\x7f']);

/** Reads one line without showing it. */
function askFor(question: string, { input, output }: Prompt): Promise<string> {
  if (!input.isTTY || !input.setRawMode) {
    throw new UsageError('No token: give --token-file FILE, or set GSV_TOKEN');
  }
  output.write(question);
  input.setRawMode(true);
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (settle: () => void): void => {
      input.off('data', onData);
      input.setRawMode?.(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const onData = (data: Buffer | string): void => {
      for (const key of data.toString()) {
        const ends = key === INTERRUPT || ENTER.test(key);
        if (ends) {
          finish(() => (key === INTERRUPT ? reject(new UsageError('Stopped')) : resolve(typed)));
          return;
        }
        typed = ERASE.has(key) ? typed.slice(0, -1) : typed + key;
      }
    };
    input.on('data', onData);
  });
}
