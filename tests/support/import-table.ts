import { resolveImport } from './sources.ts';

const programs = ['shared', 'web', 'sync-server', 'driver'];
/** What the kernel and every program stand on; none of it knows the kernel. */
const lower = ['shared/protocol', 'shared/syscalls', 'shared/state', 'shared/std', 'shared/fs-text'];

/** Folders (or files) of ours that the modules below a folder may import. The longest matching folder counts. */
const ours: Record<string, string[]> = {
  ...Object.fromEntries(lower.map((folder) => [folder, lower])),
  'shared/kernel': ['shared'],
  web: ['shared', 'web'],
  'sync-server': ['shared', 'sync-server'],
  driver: ['shared', 'driver'],
  scripts: ['scripts', 'sync-server/bundle.mjs', 'driver/bundle.mjs'],
  'sync-server/bundle.mjs': ['scripts'],
  'driver/bundle.mjs': ['scripts'],
  'vite.config.ts': ['scripts'],
  'vitest.config.ts': ['scripts'],
};

const portable = [
  'typebox',
  'yjs',
  'y-protocols',
  'lib0',
  '@noble/hashes',
  '@noble/curves',
  '@scure/bip39',
  'just-bash',
  'diff',
  'fflate',
  'croner',
];
const page = [
  'solid-js',
  '@solidjs/router',
  'dompurify',
  'highlight.js',
  'marked',
  'virtua',
  'diff',
  'lean-qr',
];

/** Packages that the modules below a folder may import; `node:` stands for Node's own. Tests, build files and declarations may any. */
const packages: Record<string, string[]> = {
  shared: portable,
  web: page,
  'web/client': ['typebox', 'comlink'],
  'web/model-worker': ['typebox', '@wllama/wllama', '@mlc-ai/web-llm'],
  'web/service-worker': ['typebox'],
  'web/kernel-host': [...portable, 'dexie', '@earendil-works/pi-ai'],
  'sync-server': portable,
  'sync-server/hosts': [...portable, 'partyserver', 'partykit', 'cloudflare:workers'],
  'sync-server/hosts/node': [...portable, 'node:', 'ws', 'workerd'],
  driver: [...portable, 'node:', 'ws'],
};

/** What is wrong with one import, or null. `from` is the importing file, both paths relative to the root. */
export function importProblem(from: string, specifier: string): string | null {
  const allowed = specifier.startsWith('.')
    ? mayImport(from, resolveImport(from, specifier))
    : mayUse(from, specifier);
  return allowed ? null : `${from} must not import ${specifier}`;
}

function mayImport(from: string, target: string): boolean {
  return foldersFor(from).some((folder) => isIn(folder, target));
}

function foldersFor(from: string): string[] {
  const [top = '', kind = ''] = from.split('/');
  if (top === 'tests')
    return [...programs, 'tests/support', `tests/${kind}`, 'vite.config.ts', 'scripts/inputs.mjs'];
  const own = longest(ours, from) ?? [];
  return isTest(from) ? [...own, top, 'shared', 'tests/support'] : own;
}

function mayUse(from: string, specifier: string): boolean {
  const allowed = isTest(from) || /\.(mjs|d\.ts)$/.test(from) ? undefined : longest(packages, from);
  return (
    allowed?.some(
      (name) => specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`),
    ) ?? true
  );
}

function longest(table: Record<string, string[]>, path: string): string[] | undefined {
  const keys = Object.keys(table).filter((key) => isIn(key, path));
  const best = keys.sort((a, b) => b.length - a.length)[0];
  return best === undefined ? undefined : table[best];
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function isTest(path: string): boolean {
  return /\.test\.(ts|tsx|mjs)$/.test(path);
}
