import { type Inspection, splitArguments } from './command-program.ts';

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FIND_WRITES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

/** Options that stand before the paths. */
const FIND_MODE = /^-([HLP]|O\d)$/;

/** `find`: `-delete`, the commands of `-exec`, and the files it writes; paths come before the expression. */
export function inspectFind(args: readonly string[]): Inspection {
  const start = args.findIndex((arg) => !FIND_MODE.test(arg));
  const expression = args.findIndex((arg, at) => at >= start && /^(-.|[!(])/.test(arg));
  const paths = args.slice(Math.max(start, 0), expression === -1 ? args.length : expression);
  const commands: string[][] = [];
  for (const [at, arg] of args.entries()) {
    if (FIND_RUNS.has(arg)) commands.push(upToTerminator(args.slice(at + 1)));
  }
  const deletes = args.includes('-delete') ? (['destructive', 'mutating'] as const) : [];
  const writes = args.some((arg) => FIND_WRITES.has(arg)) ? (['mutating'] as const) : [];
  return { tags: [...deletes, ...writes], commands, paths };
}

function upToTerminator(args: readonly string[]): string[] {
  const end = args.findIndex((arg, at) => arg === ';' || (arg === '+' && args[at - 1] === '{}'));
  return args.slice(0, end === -1 ? args.length : end);
}

/** Looked for in the whole program, texts and patterns included: where those end only awk knows. */
const AWK_RUNS = /\bsystem\b|\bgetline\b|@|(^|[^|])\|([^|]|$)|\|&/;
const AWK_PRINTS = /\bprintf?\b/;
/** Comparisons are mostly with numbers. */
const AWK_REDIRECTS = />(?!=|\s*[0-9])/;
const AWK_VALUED = ['-F', '-v', '-f', '-i', '-l', '-e', '-E', '--field-separator', '--assign'];
/** Others load programs, or write files. */
const AWK_HARMLESS = new Set(['-F', '-v', '--field-separator', '--assign', '--version']);

/** `awk`: redirects of `print`, and whatever starts a program. */
export function inspectAwk(args: readonly string[]): Inspection {
  const { options, operands } = splitArguments(args, AWK_VALUED);
  const [program = '', ...paths] = operands;
  const loads = options.some((option) => !AWK_HARMLESS.has(option));
  const writes = AWK_PRINTS.test(program) && AWK_REDIRECTS.test(program);
  return {
    tags: [
      ...(loads || AWK_RUNS.test(program) ? (['unclassified'] as const) : []),
      ...(writes ? (['mutating'] as const) : []),
    ],
    paths,
  };
}

/** `tar`: only listing leaves everything as it is. */
export function inspectTar(args: readonly string[]): Inspection {
  const [first = ''] = args;
  const bundle = first.startsWith('--') ? '' : first.replace(/^-/, '');
  const lists = /^[a-z]*t[a-z]*$/i.test(bundle) && !/[xcruA]/.test(bundle);
  const mode = lists || args.includes('--list') ? 'lists' : 'writes';
  const runs = args.some((arg) => /^--(to-c|use-c|ch|rs|info-s|new-v)|^-[a-z]*[IF]/.test(arg));
  return {
    tags: [
      ...(mode === 'writes' ? (['mutating'] as const) : []),
      ...(runs ? (['unclassified'] as const) : []),
    ],
  };
}

/** Programs that run code: everything but being asked for their version. */
export function inspectInterpreter(args: readonly string[]): Inspection {
  const asksVersion = args.length === 1 && /^(-v|-V|--version|version)$/.test(args[0] ?? '');
  return { tags: asksVersion ? [] : ['unclassified'] };
}

/** Options of `set` that change only how the script fails; positional arguments are another matter. */
const SET_OPTION =
  /^[-+][aefhkmnuvxCEoT]+$|^(errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|errtrace)$/;

export function inspectSet(args: readonly string[]): Inspection {
  return { tags: args.every((arg) => SET_OPTION.test(arg)) ? [] : ['unclassified'], paths: [] };
}

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(=|$)/;

/** `export NAME=value` and its like: what other programs do may hang on the variable. */
export function inspectExport(args: readonly string[]): Inspection {
  const safe = args.every((arg) => SAFE_NAME.test(arg) && !steersPrograms(arg.replace(/=.*/s, '')));
  return { tags: safe ? [] : ['unclassified'], paths: [] };
}

/** Variables that decide which program runs, or what it loads. */
const STEERING =
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|HOME|PWD|TMPDIR|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|TERMINFO.*|XDG_.*|RIPGREP_.*|GREP_.*|TAR_OPTIONS|RSYNC_.*|CURL_HOME|WGETRC|MAN.*|GIT_.*|SSH_.*|PAGER|MANPAGER|LESS.*|EDITOR|VISUAL|BROWSER|NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|npm_config_.*|PYTHON.*|PERL5.*|PERL.*|RUBY.*|GEM_.*|JAVA_.*|_JAVA_OPTIONS|MAKEFLAGS|CC|CXX|RUSTC.*|CARGO_.*|GOFLAGS|DOCKER_.*|KUBECONFIG|AWS_.*|.*_PROXY|.*_proxy)$/;

export function steersPrograms(variable: string): boolean {
  return STEERING.test(variable);
}
