import { mayBeEndless } from '../shell/endless-syntax.ts';
import { classifyCommand } from './command-classify.ts';
import { type Locations, pathTags, resolvePath } from './command-paths.ts';
import { type Tag, texts } from './command-program.ts';
import { steersPrograms, variablesOf } from './command-variables.ts';
import {
  expandWord,
  innerNodes,
  type Node,
  type Redirection,
  type Script,
  type SimpleCommand,
  SUBSTITUTES,
  type Variables,
  type Word,
  type WordNode,
} from './command-word.ts';

export type ScriptFacts = {
  /** Every command that the line runs, as far as its text tells, in the order of the text. */
  commands: { words: string[] }[];
  tags: Tag[];
  /** The command, when the line is exactly one with nothing around it. */
  plain: PlainCommand | null;
};

/** A command line that is one command, for what can be remembered of it. */
export type PlainCommand = {
  words: string[];
  cwd: string;
  /** Undefined when another program runs it. */
  name: string | undefined;
  subcommand: string | undefined;
  options: string[];
  operands: string[];
};

/** Scripts inside scripts are followed this deep, and no more commands than this are listed. */
const MOST_DEPTH = 8;
const MOST_COMMANDS = 500;
/** Nodes whose text the shell may evaluate as code. */
const ARITHMETIC = /^Arith/;
/** A subscript is evaluated wherever a shell counts with it. */
const COUNTED = /\w\[[^\]]*(\$\(|`)/;
/** Escapes in `$'…'` that shells read in different ways. */
const UNSURE_ESCAPE = /\$'[\s\S]*\\[Uc0]/;
const NUMERIC_TEST = /^-(eq|ne|lt|le|gt|ge)$/;

/** Reads one command line into its facts. */
export class ScriptReader {
  readonly #parse: (text: string) => Script;
  readonly #tags = new Set<Tag>();
  readonly #commands: { words: string[] }[] = [];
  #where: Locations;
  #variables: Variables = new Map();
  #plain: PlainCommand | null = null;
  #redirected = false;
  /** Whether it is only words, and every word is what the text says. */
  #known = true;
  #depth = 0;

  constructor(parse: (text: string) => Script, where: Locations) {
    this.#parse = parse;
    this.#where = where;
  }

  read(input: string): ScriptFacts {
    const script = this.#script(input);
    const alone =
      script && isOneCommand(script) && this.#commands.length === 1 && !this.#redirected && this.#known;
    return { commands: this.#commands, tags: [...this.#tags].sort(), plain: alone ? this.#plain : null };
  }

  /** Reads a script, and says what it is when it could be parsed. */
  #script(text: string): Script | undefined {
    if (this.#depth >= MOST_DEPTH || mayBeEndless(text)) return this.#unclassified();
    this.#depth += 1;
    try {
      if (UNSURE_ESCAPE.test(text)) this.#unclassified();
      const script = this.#parse(text);
      const { home, cwd } = this.#where;
      this.#variables = variablesOf(script as unknown as Node, { HOME: home, PWD: cwd });
      this.#visit(script as unknown as Node);
      return script;
    } catch {
      return this.#unclassified();
    } finally {
      this.#depth -= 1;
    }
  }

  #unclassified(): undefined {
    this.#tags.add('unclassified');
  }

  #visit(node: Node): void {
    const where = this.#where;
    if (node.type === 'SimpleCommand') this.#command(node as unknown as SimpleCommand);
    if (node.type === 'Redirection') this.#redirect(node as unknown as Redirection);
    if (isUnclassified(node, this.#variables)) this.#unclassified();
    if (isWord(node) && this.#mayBeCounted(node)) this.#unclassified();
    // A quoted here-document is text, whatever it says.
    if (node.type === 'HereDoc' && node.quoted === true) return;
    for (const inner of innerNodes(node)) this.#visit(inner);
    if (node.type === 'Subshell' || node.type === 'CommandSubstitution') this.#where = where;
  }

  #command({ name, args, assignments }: SimpleCommand): void {
    if (assignments.some((assignment) => steersPrograms(assignment.name))) this.#unclassified();
    if (assignments.length > 0) this.#known = false;
    if (!name) return;
    this.#run([name, ...args].flatMap((word) => expandWord(word, this.#variables)));
  }

  #run(words: readonly Word[]): void {
    if (this.#commands.length >= MOST_COMMANDS) {
      this.#unclassified();
      return;
    }
    this.#commands.push({ words: texts(words) });
    this.#known &&= words.every(({ known, glob }) => known && !glob);
    const { tags, paths, starts, scripts, program } = classifyCommand(words);
    for (const tag of [...tags, ...pathTags(paths, this.#where)]) this.#tags.add(tag);
    const args = program?.args ?? [];
    const operands = args.filter((arg) => !arg.startsWith('-'));
    this.#plain = {
      words: texts(words),
      cwd: this.#where.cwd,
      name: program?.name,
      subcommand: program?.subcommand,
      options: args.filter((arg) => arg.startsWith('-')).sort(),
      operands,
    };
    if (program?.name === 'cd') this.#changeDirectory(operands[0]);
    for (const started of starts) this.#run(started.map((text) => ({ text, known: true })));
    for (const script of scripts) this.#inner(script);
  }

  #changeDirectory(path = '~'): void {
    this.#where = { ...this.#where, cwd: resolvePath(path, this.#where) };
  }

  /** A script given to another shell: its directory and its variables are its own. */
  #inner(script: string): void {
    const [where, variables] = [this.#where, this.#variables];
    this.#script(script);
    this.#where = where;
    this.#variables = variables;
  }

  /** Whether a text, however it is quoted, would run a command if a shell counted with it. */
  #mayBeCounted(word: WordNode): boolean {
    return expandWord(word, this.#variables).some(({ text }) => COUNTED.test(text));
  }

  #redirect({ operator, target }: Redirection): void {
    this.#redirected = true;
    if (target.type === 'HereDoc' || operator === '<<<') return;
    for (const { text, known } of expandWord(target, this.#variables)) {
      if (operator.endsWith('&') && /^(\d+|-)-?$/.test(text)) continue;
      if (!known) this.#unclassified();
      for (const tag of redirectTags(operator, text)) this.#tags.add(tag);
      for (const tag of pathTags([text], this.#where)) this.#tags.add(tag);
    }
  }
}

const HARMLESS_TARGET = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

function redirectTags(operator: string, target: string): Tag[] {
  if (/^\/dev\/(tcp|udp)\//.test(target)) return ['network', 'unclassified'];
  if (operator === '<' || operator === '<&' || HARMLESS_TARGET.test(target)) return [];
  return target.startsWith('/dev/') ? ['mutating', 'destructive'] : ['mutating'];
}

/** Whether a part of the syntax, whatever stands around it, runs what only the shell knows. */
function isUnclassified(node: Node, variables: Variables): boolean {
  const { type = '' } = node;
  if (['CommandSubstitution', 'ProcessSubstitution', 'ArithCommandSubst', 'FunctionDef'].includes(type))
    return true;
  if (type === 'Statement' && node.deferredError !== undefined) return true;
  if (type === 'Transform' || type === 'Indirection' || type === 'BadSubstitution') return true;
  if (type === 'Word' && hasUnreadText(node)) return true;
  if (type === 'For') return steersPrograms(String(node.variable));
  if (type === 'Redirection') return typeof node.fdVariable === 'string';
  if (type === 'CondBinary' && NUMERIC_TEST.test(String(node.operator)))
    return !isNumericTest(node, variables);
  if (type === 'CondUnary' && (node.operator === '-v' || node.operator === '-R')) return true;
  if (type === 'ParameterExpansion') return !isPlainName(String(node.parameter));
  if (type === 'Assignment') return !isPlainName(String(node.name)) || hasSubscripts(node);
  return ARITHMETIC.test(type) && !isPlainArithmetic(node, variables);
}

/** A variable, or an element of an array by number: every other subscript is evaluated as code. */
function isPlainName(name: string): boolean {
  return /^(\w+|[-@*#?$!])(\[(@|\*|-?\d+)\])?$/.test(name);
}

function isNumericTest(node: Node, variables: Variables): boolean {
  return [node.left, node.right].every((side) =>
    expandWord(side as Parameters<typeof expandWord>[0], variables).every(
      ({ text, known }) => known && /^-?\d*$/.test(text),
    ),
  );
}

function isWord(node: Node): node is Node & WordNode {
  return node.type === 'Word' && Array.isArray(node.parts);
}

/** Whether the parser took for text what a shell may run; inside double quotes it reads all there is. */
function hasUnreadText({ parts }: Node): boolean {
  return ((parts ?? []) as Node[]).some(
    ({ type, value }) => type === 'Literal' && SUBSTITUTES.test(String(value)),
  );
}

/** Whether the elements of an array say their own places: those are evaluated, too. */
function hasSubscripts({ array }: Node): boolean {
  const texts = ((array ?? []) as WordNode[]).flatMap((word) => expandWord(word, new Map()));
  return texts.some(({ text }) => /^\[(?!-?\d+\])/.test(text));
}

/** A variable in arithmetic is evaluated again, subscripts and substitutions included. */
function isPlainArithmetic(node: Node, variables: Variables): boolean {
  for (const value of Object.values(node))
    if (typeof value === 'string' && /[$`]\(|`/.test(value)) return false;
  const name = node.name ?? node.variable ?? node.content;
  if (typeof name !== 'string') return true;
  if (!/^\w+$/.test(name) || steersPrograms(name)) return false;
  if (node.type === 'ArithAssignment') return true;
  const values = variables.get(name);
  return values === undefined || (values?.every((text) => /^-?\d*$/.test(text)) ?? false);
}

function isOneCommand({ statements: [statement, ...others] }: Script): boolean {
  if (!statement || others.length > 0 || statement.background) return false;
  const [pipeline, ...rest] = statement.pipelines;
  return (
    rest.length === 0 && pipeline?.commands.length === 1 && pipeline.commands[0]?.type === 'SimpleCommand'
  );
}
