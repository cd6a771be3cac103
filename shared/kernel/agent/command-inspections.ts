import { type Inspection, splitArguments } from './command-program.ts';

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FIND_WRITES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

/** `find`: `-delete`, the commands of `-exec`, and the files it writes; paths come before the expression. */
export function inspectFind(args: readonly string[]): Inspection {
  const expression = args.findIndex((arg) => /^(-[^HLPOD]|-D|-O|[!(])/.test(arg) && !/^-[HLP]$/.test(arg));
  const paths = expression === -1 ? args : args.slice(0, expression);
  const commands: string[][] = [];
  for (const [at, arg] of args.entries()) {
    if (FIND_RUNS.has(arg)) commands.push(upToTerminator(args.slice(at + 1)));
  }
  const deletes = args.includes('-delete') ? (['destructive', 'mutating'] as const) : [];
  const writes = args.some((arg) => FIND_WRITES.has(arg)) ? (['mutating'] as const) : [];
  return { tags: [...deletes, ...writes], commands, paths: paths.filter((path) => !path.startsWith('-')) };
}

function upToTerminator(args: readonly string[]): string[] {
  const end = args.findIndex((arg, at) => arg === ';' || (arg === '+' && args[at - 1] === '{}'));
  return args.slice(0, end === -1 ? args.length : end);
}

/** Commands of `sed` that write or run: `w`, `W`, `e`, and the flags of `s` with these letters. */
const SED_COMMAND = /(^|[;{}\n])\s*(\/(?:\\.|[^/])*\/|\\.|[0-9$,+~!\s]|I(?=\s*[!weW]))*\s*[weW](\s|$|;)/;
const SED_FLAGS = /s(\W)(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[a-zA-Z0-9]*[ew]/;
const SED_VALUES = ['-e', '-f', '-l', '-E_', '--expression', '--file', '--line-length'];

export function inspectSed(args: readonly string[]): Inspection {
  const { options, operands, values } = splitArguments(args, SED_VALUES);
  const scripted = options.some((option) => option === '-e' || option === '--expression');
  const fromFile = options.some((option) => option === '-f' || '--file'.startsWith(option));
  const scripts = scripted || fromFile ? values : operands.slice(0, 1);
  const inPlace = options.some((option) => option === '-i' || (option.length > 2 && '--in-place'.startsWith(option)));
  const runs = fromFile || scripts.some((script) => SED_COMMAND.test(script) || SED_FLAGS.test(script));
  return {
    tags: [...(inPlace ? (['mutating'] as const) : []), ...(runs ? (['unclassified'] as const) : [])],
    paths: scripted || fromFile ? operands : operands.slice(1),
  };
}

const AWK_RUNS = /\bsystem\b|\bgetline\b|@(load|include)|(^|[^|])\|([^|]|$)|\|&/;
const AWK_WRITES = /\bprintf?\b[^;}\n]*>/;

/** `awk`: redirects of `print`, and whatever starts a program. */
export function inspectAwk(args: readonly string[]): Inspection {
  const { options, operands, values } = splitArguments(args, ['-F', '-v', '-f', '-i', '-l', '-e', '-E', '--file']);
  const loads = options.some((option) => ['-f', '-i', '-l', '-E', '-e'].includes(option) || /^--(f|i|l|s|e)/.test(option));
  const [program = ''] = operands;
  const code = [program, ...values].join('\n').replaceAll(/"(\\.|[^"\\])*"|\/(\\.|[^/\\\n])*\//g, '""');
  return {
    tags: [
      ...(loads || AWK_RUNS.test(code) ? (['unclassified'] as const) : []),
      ...(AWK_WRITES.test(code) ? (['mutating'] as const) : []),
    ],
    paths: operands.slice(1),
  };
}

/** `tar`: only listing leaves everything as it is. */
export function inspectTar(args: readonly string[]): Inspection {
  const [first = ''] = args;
  const bundle = first.startsWith('--') ? '' : first.replace(/^-/, '');
  const lists = /^[a-z]*t[a-z]*$/i.test(bundle) && !/[xcruA]/.test(bundle);
  const mode = lists || args.includes('--list') ? 'lists' : 'writes';
  const runs = args.some((arg) => /^--(to-c|use-c|ch|rs|info-s|new-v)|^-[a-z]*[IF]/.test(arg));
  return { tags: [...(mode === 'writes' ? (['mutating'] as const) : []), ...(runs ? (['unclassified'] as const) : [])] };
}

/** Options of `set` that change only how the script fails; positional arguments are another matter. */
const SET_OPTION = /^[-+][aefhkmnuvxCEoT]+$|^(errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|errtrace)$/;

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
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|HOME|PWD|TMPDIR|LD_.*|DYLD_.*|GIT_.*|SSH_.*|PAGER|MANPAGER|LESS.*|EDITOR|VISUAL|BROWSER|NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|npm_config_.*|PYTHON.*|PERL5.*|PERL.*|RUBY.*|GEM_.*|JAVA_.*|_JAVA_OPTIONS|MAKEFLAGS|CC|CXX|RUSTC.*|CARGO_.*|GOFLAGS|DOCKER_.*|KUBECONFIG|AWS_.*|.*_PROXY|.*_proxy)$/;

export function steersPrograms(variable: string): boolean {
  return STEERING.test(variable);
}
