import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './ensure.mjs';
import { loadTs } from './load-ts.mjs';
import { root } from './run.mjs';

// Writes docs/syscalls.md from the syscall table.
await ensureInstalled();
const { renderReference } = await loadTs('shared/syscalls/reference.ts');
const { table } = await loadTs('shared/syscalls/table.ts');
mkdirSync(join(root, 'docs'), { recursive: true });
writeFileSync(join(root, 'docs', 'syscalls.md'), renderReference(table));
console.log(`docs/syscalls.md describes ${Object.keys(table).length} syscalls.`);
