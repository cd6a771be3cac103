import type { Program, Tag } from './command-program.ts';

const reads: Program = {};
const mutating: Program = { tags: ['mutating'] };
const destructive: Program = { tags: ['mutating', 'destructive'] };
const fetches: Program = { tags: ['network', 'mutating'] };

const named = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]));
const options = (names: string, ...tags: Tag[]): Record<string, readonly Tag[]> =>
  Object.fromEntries(names.split(' ').map((name) => [name, tags]));

/** Options by which commands that show differences write a file or run a program. */
const shows: Program = {
  options: { ...options('--output', 'mutating'), ...options('--ext-diff', 'unclassified') },
};
const creates: Program = { operands: { from: 1, tags: ['mutating'] } };

const readsConfig = /^(--get(-all|-regexp|-urlmatch)?|--list|-l|get|list)$/;

export const gitSubcommands: Readonly<Record<string, Program>> = {
  ...named(
    'status rev-parse ls-files ls-tree describe merge-base name-rev count-objects check-ignore var version for-each-ref cherry verify-commit',
    reads,
  ),
  // Whatever walks revisions understands the options of `diff`.
  ...named('log diff show format-patch whatchanged blame shortlog rev-list range-diff', shows),
  'format-patch': mutating,
  grep: { pattern: true, options: { ...options('-O --open-files-in-pager', 'unclassified') } },
  'cat-file': { options: options('--textconv --filters', 'unclassified') },
  'ls-remote': { tags: ['network'], options: options('--upload-pack', 'unclassified') },

  ...named(
    'add commit init mv merge cherry-pick revert rebase am apply switch notes sparse-checkout bisect worktree',
    mutating,
  ),
  rebase: { tags: ['mutating'], options: options('-x --exec', 'unclassified') },
  bisect: { tags: ['mutating', 'unclassified'] },
  checkout: {
    tags: ['mutating'],
    options: options('-f --force', 'destructive'),
    inspect: (args) => ({ tags: overwritesFiles(args) ? ['destructive'] : [] }),
  },
  restore: destructive,
  rm: destructive,
  reset: { tags: ['mutating'], options: options('--hard --merge --keep', 'destructive') },
  clean: destructive,
  gc: mutating,
  prune: destructive,
  'filter-branch': { tags: ['mutating', 'destructive', 'unclassified'] },
  'update-ref': destructive,
  branch: {
    ...creates,
    options: {
      ...options('-d -D -M -C --delete -f --force', 'mutating', 'destructive'),
      ...options('-m -c --move --copy -u --set-upstream-to --unset-upstream --edit-description', 'mutating'),
    },
  },
  tag: {
    ...creates,
    options: {
      ...options('-d --delete -f --force', 'mutating', 'destructive'),
      ...options('-a -s -m', 'mutating'),
    },
  },
  stash: {
    subcommands: {
      ...named('list show', shows),
      ...named('push save apply pop branch create store', mutating),
      ...named('drop clear', destructive),
    },
    inspect: (args) => ({ tags: args.every((arg) => arg.startsWith('-')) ? ['mutating'] : [] }),
  },
  remote: {
    subcommands: {
      ...named('show', { tags: ['network'] }),
      ...named('get-url', reads),
      ...named('add rename set-url set-head set-branches', mutating),
      ...named('remove rm', destructive),
      ...named('update prune', fetches),
    },
    options: options('-v --verbose'),
  },
  config: {
    inspect: ([first = '']) => ({ tags: readsConfig.test(first) ? [] : ['mutating', 'unclassified'] }),
  },
  submodule: {
    subcommands: {
      status: reads,
      ...named('add init update sync', fetches),
      ...named('deinit', destructive),
    },
  },
  reflog: { subcommands: { show: shows, exists: reads, ...named('expire delete', destructive) } },

  ...named('fetch pull', {
    tags: ['network', 'mutating'],
    options: { ...options('--upload-pack', 'unclassified'), ...options('-f --force', 'destructive') },
  }),
  clone: {
    tags: ['network', 'mutating'],
    options: options('-c --config -u --upload-pack --template', 'unclassified'),
  },
  push: {
    tags: ['network', 'mutating'],
    options: {
      ...options(
        '-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune',
        'destructive',
      ),
      ...options('--receive-pack --exec', 'unclassified'),
    },
    inspect: (args) => ({ tags: args.some((arg) => /^[+:]/.test(arg)) ? ['destructive'] : [] }),
  },
};

/** `git checkout` with paths throws changes away; with a branch it refuses to. */
function overwritesFiles(args: readonly string[]): boolean {
  if (args.some((arg) => /^-[bBt]$|^--(track|orphan)/.test(arg))) return false;
  const operands = args.filter((arg) => !arg.startsWith('-'));
  return args.includes('--') || operands.length > 1 || operands.includes('.');
}
