import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where one server keeps what must outlive it. Only its owner may look inside. */
export type DataDir = {
  /** Configuration of the running server; written anew at every start. */
  runDir: string;
  /** Holds the process id of the workerd that was started last. */
  pidFile: string;
  storageDir: string;
  claimSecret: string;
};

/** Makes what is missing and reads the claim secret. Throws when the directory cannot be written. */
export function openDataDir(path: string): DataDir {
  const runDir = join(path, 'run');
  const storageDir = join(path, 'room');
  for (const dir of [path, runDir, storageDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return {
    runDir,
    pidFile: join(runDir, 'workerd.pid'),
    storageDir,
    claimSecret: claimSecret(join(path, 'claim')),
  };
}

/** Written once; the same link works until the server is claimed, also after a restart. */
function claimSecret(file: string): string {
  const known = readText(file);
  if (/^gsv_claim_[\w-]{43}$/.test(known)) return known;
  const secret = `gsv_claim_${randomBytes(32).toString('base64url')}`;
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return secret;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
