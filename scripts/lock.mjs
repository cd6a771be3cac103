import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTs } from './load-ts.mjs';
import { root } from './run.mjs';

// Pins the protocol's hash in shared/protocol/lock.json. `--unreleased` allows a new hash for the version that is
// pinned already, as long as no program with that version has left this checkout.
const file = join(root, 'shared', 'protocol', 'lock.json');
const { canonicalProtocol } = await loadTs('shared/syscalls/canonical.ts');
const { PROTOCOL_VERSION: version } = await loadTs('shared/protocol/version.ts');
const hash = createHash('sha256').update(canonicalProtocol()).digest('hex');
const pinned = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;

if (pinned?.version === version && pinned.hash !== hash && !process.argv.includes('--unreleased')) {
  console.error(`The protocol changed but is still version ${version}.`);
  console.error(
    'Raise PROTOCOL_VERSION in shared/protocol/version.ts, or pass --unreleased if nobody has it yet.',
  );
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify({ version, hash }, null, 2)}\n`);
  console.log(`Protocol ${version} is pinned at ${hash}.`);
}
