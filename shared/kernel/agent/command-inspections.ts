import { type Inspection, splitArguments } from './command-program.ts';
import { steersPrograms } from './command-variables.ts';

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
const AWK_RUNS = /\bsystem\b|\bgetline\b|\bARGV\b|@|(^|[^|])\|([^|]|$)|\|&/;
/** What comes after `print` may be where it prints to. */
const AWK_WRITES = /\bprintf?\b[\s\S]*>(?!=)/;
/** gawk reads these from the network, as it does files. */
const AWK_NETWORK = /\/inet/;
const AWK_VALUED = ['-F', '-v', '-f', '-i', '-l', '-e', '-E', '--field-separator', '--assign'];
/** Others load programs, or write files. */
const AWK_HARMLESS = new Set(['-F', '-v', '--field-separator', '--assign', '--version']);

/** `awk`: redirects of `print`, and whatever starts a program. */
export function inspectAwk(args: readonly string[]): Inspection {
  const { options, operands } = splitArguments(args, AWK_VALUED);
  const [program = '', ...paths] = operands;
  const loads = options.some((option) => !AWK_HARMLESS.has(option));
  return {
    tags: [
      ...(loads || AWK_RUNS.test(program) ? (['unclassified'] as const) : []),
      ...(AWK_WRITES.test(program) ? (['mutating'] as const) : []),
      ...(args.some((arg) => AWK_NETWORK.test(arg)) ? (['network', 'unclassified'] as const) : []),
    ],
    paths,
  };
}

const TAR_LISTS = /^(-?[vzjJaf]*t[vzjJaf]*|--list)$/;
const TAR_RUNS = /^--(to-c|us|ch|rs|rm|inf|new-)|^-[a-z]*[IF]/;
const TAR_LISTING = new Set('-v -z -j -J -a -f --file --verbose --gzip --exclude --wildcards'.split(' '));

/** `tar`: only listing leaves everything as it is, and it can be told to run programs or to fetch over the network. */
export function inspectTar(args: readonly string[]): Inspection {
  const [first = '', ...rest] = args;
  const lists = TAR_LISTS.test(first);
  const understood = rest.every((arg) => !arg.startsWith('-') || TAR_LISTING.has(arg.replace(/=.*/s, '')));
  const unsure = lists ? !understood : args.some((arg) => TAR_RUNS.test(arg));
  const remote = args.some((arg) => /^(--file=)?[\w.@-]+:/.test(arg));
  return {
    tags: [
      ...(lists && understood ? [] : (['mutating'] as const)),
      ...(unsure ? (['unclassified'] as const) : []),
      ...(remote ? (['network', 'unclassified'] as const) : []),
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
  /^[-+][aefhmnuvxCEoT]+$|^(errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|errtrace)$/;

export function inspectSet(args: readonly string[]): Inspection {
  return { tags: args.every((arg) => SET_OPTION.test(arg)) ? [] : ['unclassified'], paths: [] };
}

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(=|$)/;

/** `export NAME=value` and its like: what other programs do may hang on the variable. */
export function inspectExport(args: readonly string[]): Inspection {
  const safe = args.every((arg) => SAFE_NAME.test(arg) && !steersPrograms(arg.replace(/=.*/s, '')));
  return { tags: safe ? [] : ['unclassified'], paths: [] };
}

const READ_VALUED = '-a -d -i -n -N -p -t -u'.split(' ');

/** `read`: the variables that it sets, and their subscripts, which are evaluated. */
export function inspectRead(args: readonly string[]): Inspection {
  const { operands, values } = splitArguments(args, READ_VALUED);
  const unsure = [...operands, ...values].some((name) => name.includes('[') || steersPrograms(name));
  return { tags: unsure ? ['unclassified'] : [] };
}

const NUMBER = /^[-+]?\d+(\.\d+)?$/;
const unlessNumbers = (args: readonly string[]): Inspection => ({
  tags: args.every((arg) => NUMBER.test(arg)) ? [] : ['unclassified'],
});

/** `exit`, `shift` and their like count with what they are given; zsh evaluates it, subscripts and commands included. */
export function inspectCount(args: readonly string[]): Inspection {
  return unlessNumbers(args);
}

/** `test`: zsh evaluates what it compares as numbers. */
export function inspectTest(args: readonly string[]): Inspection {
  return unlessNumbers(
    args.flatMap((arg, at) =>
      /^-(eq|ne|lt|le|gt|ge)$/.test(arg) ? [args[at - 1] ?? '', args[at + 1] ?? ''] : [],
    ),
  );
}

/** `printf`: zsh evaluates what it prints as numbers. */
export function inspectPrintf([format = '', ...args]: readonly string[]): Inspection {
  return /%[^a-zA-Z%]*[diouxXeEfFgGaA]|%[^a-zA-Z%]*\*/.test(format) ? unlessNumbers(args) : { tags: [] };
}

/** `date`: an operand that is no format sets the clock. */
export function inspectDate(args: readonly string[]): Inspection {
  const { operands, options } = splitArguments(args, [
    '-d',
    '-r',
    '-f',
    '-v',
    '--date',
    '--reference',
    '--file',
  ]);
  const sets = !options.includes('-j') && operands.some((operand) => !operand.startsWith('+'));
  return { tags: sets ? ['privileged', 'mutating'] : [], paths: [] };
}

/** `unzip`: what only lists or tests; a doubled dash takes an option back. */
export function inspectUnzip(args: readonly string[]): Inspection {
  const lists =
    /^-[ltvZ]/.test(args[0] ?? '') &&
    args.every((arg) => !arg.startsWith('-') || /^-[ltvZ12smhzqC]+$/.test(arg));
  return { tags: lists ? [] : ['mutating'] };
}
