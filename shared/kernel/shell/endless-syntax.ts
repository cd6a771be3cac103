/** What may begin arithmetic, wherever it stands. */
const ARITHMETIC = /\(\(|\$\[|\$\{[^}]*:(?![-=?+])/;
/** A dollar that begins no variable and no substitution. */
const LONE_DOLLAR = /\$(?![\w({'$#?])/;

/**
 * Whether the interpreter's parser may never come back from a script: it looks for the end of a lone `$` in arithmetic
 * for ever, and would stop the kernel with it. Told from the text alone, so of some honest scripts, too.
 */
export function mayBeEndless(script: string): boolean {
  const text = script.replaceAll('\\\n', '');
  return ARITHMETIC.test(text) && (LONE_DOLLAR.test(text) || LONE_DOLLAR.test(script));
}
