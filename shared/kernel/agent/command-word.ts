import type { Bash } from 'just-bash/browser';

export type Script = ReturnType<Bash['transform']>['ast'];
type Statement = Script['statements'][number];
type Pipeline = Statement['pipelines'][number];
export type CommandNode = Pipeline['commands'][number];
export type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
export type Redirection = SimpleCommand['redirections'][number];
export type WordNode = NonNullable<SimpleCommand['name']>;
type Part = WordNode['parts'][number];

/**
 * One argument as it will be. `known` is false when only the shell can tell, at run time. One with a `glob` becomes the
 * names of files.
 */
export type Word = { text: string; known: boolean; glob?: true };
/** What a variable can hold: every literal value the script gives it, or null when something else does. */
export type Variables = ReadonlyMap<string, readonly string[] | null>;

/** More alternatives than this of one word are not followed. */
const MOST_ALTERNATIVES = 64;
const unknown = (text: string): Word => ({ text, known: false });

/** The arguments that a word stands for: several for braces and loop variables. Globs stay as they are. */
export function expandWord({ parts }: WordNode, variables: Variables): Word[] {
  let words: Word[] = [{ text: '', known: true }];
  for (const part of parts) {
    const choices = expandPart(part, variables, false);
    words = words.flatMap((left) => choices.map((right) => join(left, right)));
    if (words.length > MOST_ALTERNATIVES) return [unknown('{…}')];
  }
  return words.map(asShellsPass);
}

/** Every shell ends an argument at a NUL, each in its own way. */
function asShellsPass(word: Word): Word {
  return word.text.includes('\0') ? { ...word, known: false } : word;
}

function join(left: Word, right: Word): Word {
  const glob = left.glob || right.glob ? ({ glob: true } as const) : {};
  return { text: left.text + right.text, known: left.known && right.known, ...glob };
}

/** Whether a word may become an option: files may be called as options are. */
export function mayBeOption({ text, glob }: Word): boolean {
  return glob === true && /^[-*?[]/.test(text);
}

function expandPart(part: Part, variables: Variables, quoted: boolean): Word[] {
  switch (part.type) {
    case 'Literal':
      return [{ text: part.value, known: quoted || !SUBSTITUTES.test(part.value) }];
    case 'SingleQuoted':
    case 'Escaped':
      return [{ text: part.value, known: true }];
    case 'DoubleQuoted':
      return part.parts.reduce<Word[]>(
        (words, inner) =>
          words.flatMap((left) => expandPart(inner, variables, true).map((right) => join(left, right))),
        [{ text: '', known: true }],
      );
    case 'Glob':
      // In zsh what stands in a pattern's brackets may be a command.
      return [{ text: part.pattern, known: !part.pattern.includes('('), glob: true }];
    case 'TildeExpansion':
      return [{ text: `~${part.user ?? ''}`, known: true }];
    case 'ArithmeticExpansion':
      return [{ text: '0', known: true }];
    case 'ParameterExpansion':
      return part.operation
        ? [unknown(`\${${part.parameter}…}`)]
        : valuesOf(part.parameter, variables, quoted);
    case 'BraceExpansion':
      return part.items.flatMap((item) =>
        item.type === 'Word' ? expandWord(item.word, variables) : [fromRange(item)],
      );
    default:
      return [unknown('$(…)')];
  }
}

/** A range of numbers is numbers; one of letters may be any of them. */
function fromRange({ start, end }: { start: string | number; end: string | number }): Word {
  const numbers = typeof start === 'number' && typeof end === 'number';
  return { text: String(start), known: numbers };
}

/** What the parser took for text, but a shell may run. */
export const SUBSTITUTES = /`|\$[({[]/;
const WILDCARD = /[*?[]/;
/** Numbers only, whatever they are. */
const NUMERIC = new Set(['?', '#', '$', '!', 'RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID']);

function valuesOf(name: string, variables: Variables, quoted: boolean): Word[] {
  if (NUMERIC.has(name)) return [{ text: '0', known: true }];
  const values = variables.get(name);
  if (!values || values.length === 0) return [unknown(`$${name}`)];
  return values.map((text) => {
    if (!quoted && /\s/.test(text)) return unknown(`$${name}`);
    return { text, known: true, ...(WILDCARD.test(text) ? { glob: true } : {}) };
  });
}

/** Anything of the syntax tree: its nodes differ only in what they hold. */
export type Node = { type?: string } & Record<string, unknown>;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The nodes directly inside a node. */
export function* innerNodes(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const inner of Array.isArray(value) ? value.flat() : [value]) if (isNode(inner)) yield inner;
  }
}
