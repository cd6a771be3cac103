import { type Inspection, splitArguments } from './command-program.ts';

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/[IM]*)`;
const SEPARATORS = /[\s;{}]*/y;
const ADDRESSES = new RegExp(`${ADDRESS}(?:\\s*,\\s*(?:[+~]\\d+|${ADDRESS}))?\\s*!?\\s*`, 'y');
/** Commands that change nothing but what is printed: no `w`, `e`, `r`, and `s` without these flags. */
const HARMLESS =
  /s([^\w\s\\])(?:\\[\s\S]|(?!\1)[^\\])*\1(?:\\[\s\S]|(?!\1)[^\\])*\1[gpiImM0-9]*(?=[\s;}]|$)|y([^\w\s\\])(?:\\.|(?!\2).)*\2(?:\\.|(?!\2).)*\2(?=[\s;}]|$)|[aic][^\n]*|[=dDgGhHlnNpPqQxzbtT:][ \t]*\w*(?=[\s;}]|$)/y;
const VALUED = ['-e', '-f', '-l', '--expression', '--file', '--line-length'];

/** `sed`: editing in place, and scripts that may write files or run programs. */
export function inspectSed(args: readonly string[]): Inspection {
  const { options, operands, values } = splitArguments(args, VALUED);
  const given = (short: string, long: string) =>
    options.some((option) => option === short || (option.length > 2 && long.startsWith(option)));
  const fromFile = given('-f', '--file');
  const inOptions = fromFile || given('-e', '--expression');
  const scripts = inOptions ? values : operands.slice(0, 1);
  const plain = !fromFile && scripts.every(isHarmless);
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
