import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './run.mjs';

/**
 * Runs a command and ends everything below it when stdin ends, so that the runner's own workerd does not outlive
 * this program, however it dies.
 */
const LEASH = `
exec 4<&0
"$@" 4<&- </dev/null & child=$!
{ cat <&4 >/dev/null; kill -9 0; } &
exec 4<&-
wait "$child"
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.PORT ?? '1999' },
    data: { type: 'string', default: '.gsv/partykit' },
  },
});
const data = resolve(values.data);
mkdirSync(data, { recursive: true, mode: 0o700 });
const secret = claimSecret();

const child = spawn('/bin/sh', ['-c', LEASH, 'partykit', process.execPath, ...partykitArgs()], {
  cwd: root,
  detached: true,
  stdio: ['pipe', 'inherit', 'inherit'],
  env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
});
child.once('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => child.stdin.destroy());

console.warn(
  'partykit dev listens on every address of this machine (0.0.0.0) and opens an inspector on 9229.',
);
console.log(`Claim link, while there is no owner: http://localhost:${values.port}/#claim=${secret}`);

function claimSecret() {
  const file = join(data, 'claim');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const made = `gsv_claim_${randomBytes(32).toString('base64url')}`;
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}

function partykitArgs() {
  const config = join(data, 'partykit.json');
  const base = JSON.parse(readFileSync(join(root, 'partykit.json'), 'utf8'));
  const complete = {
    ...base,
    main: join(root, base.main),
    // Here and not in the arguments, which every user of the machine can list.
    vars: { CLAIM_SECRET: secret, ALLOWED_HOSTS: process.env.ALLOWED_HOSTS ?? '' },
    serve: copyFiles(),
  };
  writeFileSync(config, JSON.stringify(complete, null, 2), { mode: 0o600 });
  const program = join(root, 'node_modules', 'partykit', 'dist', 'bin.mjs');
  const state = join(data, 'state');
  const flags = ['--disable-request-cf-fetch', '--no-hotkeys', '--persist', state, '--config', config];
  return [program, 'dev', '--port', values.port, ...flags];
}

/** The built files, one folder down: what the runner finds by itself it serves without asking the room's door. */
function copyFiles() {
  const files = join(data, 'files');
  rmSync(files, { recursive: true, force: true });
  mkdirSync(files);
  for (const name of ['page', 'gsv.mjs']) {
    const built = join(root, 'dist', name);
    if (existsSync(built)) cpSync(built, join(files, 'files', name), { recursive: true });
  }
  return files;
}
