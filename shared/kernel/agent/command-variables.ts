import {
  expandWord,
  innerNodes,
  type Node,
  type SimpleCommand,
  type Variables,
  type WordNode,
} from './command-word.ts';

/** Builtins that set the variables they are given. */
const SETTERS = new Set(
  'declare export getopts let local mapfile printf read readarray readonly typeset unset'.split(' '),
);
/**
 * Variables that decide which program runs, what it loads or where it sends; and the shell's own, some of which it
 * evaluates as code when they are set.
 */
const STEERING =
  /^(PATH|IFS|ENV|BASH.*|SHELL|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|HOME|PWD|OLDPWD|TMPDIR|SECONDS|S?RANDOM|LINENO|OPTIND|HIST.*|EPOCH.*|DIRSTACK|COMP_.*|READLINE_.*|FUNC.*|MAIL.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|XDG_.*|RIPGREP_.*|GREP_.*|GZIP|BZIP2?|XZ_.*|ZIP.*|UNZIP.*|ZSTD_.*|TAR_OPTIONS|TAPE|RSYNC_.*|CURL_HOME|WGETRC|MAN.*|MAGIC|GIT_.*|SSH_.*|.*PAGER|LESS.*|EDITOR|VISUAL|BROWSER|SYSTEMD_.*|AWK.*|NODE_.*|NPM_CONFIG_.*|npm_config_.*|PIP_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|JAVA_.*|_JAVA_OPTIONS|CLASSPATH|MAKEFLAGS|CC|CXX|RUST.*|CARGO_.*|GO[A-Z]*|DOCKER_.*|KUBECONFIG|AWS_.*|OPENSSL_.*|SSL_.*|GLIBC_TUNABLES|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|ZDOTDIR|FPATH|fpath|path|cdpath|.*_PROXY|.*_proxy)$/;

export function steersPrograms(variable: string): boolean {
  return STEERING.test(variable);
}

const NO_VARIABLES: Variables = new Map();
/** A longer list is not followed value by value. */
const MOST_VALUES = 16;

/**
 * What variables hold anywhere in a script, whatever order it runs in: every literal that is assigned, and null for what
 * is assigned in another way.
 */
export function variablesOf(script: Node, known: Record<string, string>): Variables {
  const values = new Map<string, string[] | null>(
    Object.entries(known).map(([name, text]) => [name, [text]]),
  );
  const assign = (name: string, texts: readonly string[] | null): void => {
    const before = values.get(name);
    const all = texts === null || before === null ? null : [...(before ?? []), ...texts];
    values.set(name, all && all.length <= MOST_VALUES ? all : null);
  };
  collect(script, assign);
  return values;
}

type Assign = (name: string, texts: readonly string[] | null) => void;

function collect(node: Node, assign: Assign): void {
  if (node.type === 'SimpleCommand') fromCommand(node as unknown as SimpleCommand, assign);
  if (node.type === 'For') assign(String(node.variable), literals(node.words as WordNode[] | null));
  if (node.type === 'ParameterExpansion' && assignsDefault(node)) assign(String(node.parameter), null);
  for (const inner of innerNodes(node)) collect(inner, assign);
}

function assignsDefault({ operation }: Node): boolean {
  return JSON.stringify(operation ?? null).includes('"AssignDefault"');
}

function fromCommand({ name, args, assignments }: SimpleCommand, assign: Assign): void {
  for (const assignment of assignments) {
    const plain = !assignment.append && assignment.array === null && !assignment.name.includes('[');
    const value = assignment.value ? literals([assignment.value]) : [''];
    assign(assignment.name.replace(/\[.*/s, ''), plain ? value : null);
  }
  const program = name ? (literals([name])?.[0] ?? '') : '';
  if (!SETTERS.has(program)) return;
  for (const word of args) {
    for (const { text } of expandWord(word, NO_VARIABLES)) assign(text.replace(/[^A-Za-z0-9_].*/s, ''), null);
  }
}

/** The texts of words that hold no variable and no substitution; null when one does. */
function literals(words: readonly WordNode[] | null): string[] | null {
  const expanded = words?.flatMap((word) => expandWord(word, NO_VARIABLES));
  return expanded?.every(({ known }) => known) ? expanded.map(({ text }) => text) : null;
}
