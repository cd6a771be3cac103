/** What may begin arithmetic, wherever it stands. */
const ARITHMETIC = /\(\(|\$\[|\$\{[^}]*:(?![-=?+])/;
/** A dollar that begins no variable and no substitution. */
const LONE_DOLLAR = /\$(?![\w({'$#?])/;

/** A dollar so near to the end that one which is cut short may lose its name. */
const LAST_DOLLAR = /\$[^$]{0,2}$/;

/**
 * Whether the interpreter's parser may never come back from a script: it looks for the end of a lone `$` in arithmetic
 * for ever, and would stop the kernel with it. Told from the text alone, so of some honest scripts, too.
 */
export function mayBeEndless(script: string): boolean {
  const text = script.replaceAll('\\\n', '');
  if (!ARITHMETIC.test(text)) return false;
  if (LONE_DOLLAR.test(text) || LONE_DOLLAR.test(script)) return true;
  return LAST_DOLLAR.test(text) && isCutShort(text);
}

/** Whether more brackets open than close from some arithmetic on. */
function isCutShort(text: string): boolean {
  const deepest = text.lastIndexOf('((');
  let open = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === ')') open -= 1;
    if (text[at] === '(') open += 1;
    if (at <= deepest && open > 0 && text.startsWith('((', at)) return true;
  }
  return false;
}
