import { type Inspection, splitArguments } from './command-program.ts';

/** In brackets a delimiter is a character like others; a backslash before the end is read in two ways, so it is none here. */
const BRACKETS = String.raw`\[(?:\^|(?!\^))(?:\]|(?!\]))(?:\[[:.=][^\]]*\]|\[(?![:.=])|\\(?!\])[\s\S]|[^\]\\[])*\]`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|${BRACKETS}|[^/\\\n[])*/[IM]*)`;
const SEPARATORS = /[\s;{}]*/y;
const ADDRESSES = new RegExp(`${ADDRESS}(?:\\s*,\\s*(?:[+~]\\d+|${ADDRESS}))?\\s*!?\\s*`, 'y');
/** Commands that change nothing but what is printed: no `w`, `e`, `r`, and `s` without these flags. */
const HARMLESS = new RegExp(
  [
    String.raw`s([^\w\s\\[\]])(?:\\[\s\S]|${BRACKETS}|(?!\1)[^\\[])*\1(?:\\[\s\S]|(?!\1)[^\\])*\1[gpiImM0-9]*(?=[\s;}]|$)`,
    String.raw`y([^\w\s\\])(?:\\.|(?!\2).)*\2(?:\\.|(?!\2).)*\2(?=[\s;}]|$)`,
    String.raw`[aic][^\n]*|[=dDgGhHlnNpPqQxzbtT:][ \t]*\w*(?=[\s;}]|$)`,
  ].join('|'),
  'y',
);
const VALUED = ['-e', '-f', '--expression', '--file'];
/** Every other option is another thing on another system, or written in part only. */
const UNDERSTOOD = new Set(
  '-n -E -r -s -u -z -e -f -i --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression --file --in-place --posix --sandbox --version --help'.split(
    ' ',
  ),
);
/** Editing in place; what follows the letter is what the copy of before is called. */
const IN_PLACE = /^(-[a-zA-Z]*i|--in-p\w*).*$/s;

/** `sed`: editing in place, and scripts that may write files or run programs. */
export function inspectSed(args: readonly string[]): Inspection {
  const whole = args.map((arg) =>
    arg.replace(IN_PLACE, (_, edit: string) => (edit.startsWith('--') ? '--in-place' : edit)),
  );
  const { options, operands, values } = splitArguments(whole, VALUED);
  const given = (short: string, long: string) =>
    options.some((option) => option === short || (option.length > 2 && long.startsWith(option)));
  const fromFile = given('-f', '--file');
  const inOptions = fromFile || given('-e', '--expression');
  const scripts = inOptions ? values : operands.slice(0, 1);
  const plain = !fromFile && scripts.every(isHarmless) && options.every((option) => UNDERSTOOD.has(option));
  return {
    tags: [
      ...(given('-i', '--in-place') ? (['mutating'] as const) : []),
      ...(plain ? [] : (['unclassified'] as const)),
    ],
    paths: inOptions ? operands : operands.slice(1),
  };
}

function isHarmless(script: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at = found ? pattern.lastIndex : at;
    return found !== null;
  };
  for (;;) {
    take(SEPARATORS);
    if (at >= script.length) return true;
    const addressed = take(ADDRESSES);
    if (addressed && (script[at] === '{' || script[at] === '}')) continue;
    if (!take(HARMLESS)) return false;
  }
}
