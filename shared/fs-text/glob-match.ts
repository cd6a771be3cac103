/**
 * One step of a pattern: a character that must be there, any one character but `/`, a set of characters,
 * any run without `/`, or any run of whole directories (`**`).
 */
type Step =
  | { kind: 'character'; character: string }
  | { kind: 'any' }
  | { kind: 'set'; members: string; negated: boolean }
  | { kind: 'run' }
  | { kind: 'deep' };

/** Alternatives of `{a,b}` beyond this many are left out: a pattern is not a program. */
const MOST_ALTERNATIVES = 256;

/**
 * Compiles a glob: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, and `**` for directories at any depth. A pattern without `/`
 * is matched against the last name of a path, any other against the whole path relative to where the
 * search began. Time is linear in path times pattern, whatever the pattern.
 */
export function compileGlob(pattern: string): (relativePath: string) => boolean {
  const anchored = pattern.replace(/^\.?\//, '');
  const compiled = expandBraces(anchored).map(parse);
  const wholePath = anchored.includes('/') || pattern.startsWith('/');
  return (relativePath) => {
    const subject = wholePath ? relativePath : relativePath.slice(relativePath.lastIndexOf('/') + 1);
    return compiled.some((steps) => matches(steps, [...subject]));
  };
}

/** Every alternative of the leftmost innermost braces, expanded until none is left. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0 && done.length + open.length <= MOST_ALTERNATIVES) {
    const next = open.pop() ?? '';
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!braces) done.push(next);
    else for (const choice of (braces[1] ?? '').split(',')) open.push(splice(next, braces, choice));
  }
  return done;
}

function splice(text: string, found: RegExpExecArray, replacement: string): string {
  return text.slice(0, found.index) + replacement + text.slice(found.index + found[0].length);
}

function parse(pattern: string): Step[] {
  const steps: Step[] = [];
  const tokens = pattern.match(/\*\*\/|\*+|\?|\[!?[^\]]+\]|\\?[\s\S]/gu) ?? [];
  for (const token of tokens) steps.push(parseToken(token));
  return steps;
}

function parseToken(token: string): Step {
  if (token === '**/') return { kind: 'deep' };
  if (token === '*') return { kind: 'run' };
  if (token === '?') return { kind: 'any' };
  if (token.startsWith('*')) return { kind: 'deep' };
  if (token.length > 2 && token.startsWith('[')) {
    const negated = token.startsWith('[!');
    return { kind: 'set', members: token.slice(negated ? 2 : 1, -1), negated };
  }
  return {
    kind: 'character',
    character: token.length > 1 && token.startsWith('\\') ? token.slice(1) : token,
  };
}

/** Walks the path once, holding every position of the pattern that could have been reached. */
function matches(steps: readonly Step[], path: readonly string[]): boolean {
  let reached = closure(steps, new Set([0]), true);
  for (const [at, character] of path.entries()) {
    const next = new Set<number>();
    for (const position of reached) step(steps, position, character, next);
    if (next.size === 0) return false;
    reached = closure(steps, next, character === '/' || at === path.length - 1);
  }
  return reached.has(steps.length);
}

/** Adds the positions reached without a character; `**` may be left only between directories. */
function closure(steps: readonly Step[], positions: Set<number>, boundary: boolean): Set<number> {
  for (const position of positions) {
    const kind = steps[position]?.kind;
    if (kind === 'run' || (kind === 'deep' && boundary)) positions.add(position + 1);
  }
  return positions;
}

function step(steps: readonly Step[], position: number, character: string, next: Set<number>): void {
  const current = steps[position];
  if (!current) return;
  if (current.kind === 'deep') next.add(position);
  else if (current.kind === 'run') {
    if (character !== '/') next.add(position);
  } else if (accepts(current, character)) next.add(position + 1);
}

function accepts(step: Step, character: string): boolean {
  if (step.kind === 'character') return step.character === character;
  if (step.kind === 'set') return character !== '/' && inSet(step.members, character) !== step.negated;
  return step.kind === 'any' && character !== '/';
}

function inSet(members: string, character: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    const from = members.charAt(at);
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    const to = isRange ? members.charAt(at + 2) : from;
    if (character >= from && character <= to) return true;
    if (isRange) at += 2;
  }
  return false;
}
