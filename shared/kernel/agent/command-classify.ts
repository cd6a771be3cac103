import { means, type Program, splitArguments, type Tag, texts } from './command-program.ts';
import { programs } from './command-programs.ts';
import { steersPrograms } from './command-variables.ts';
import { mayBeOption, type Word } from './command-word.ts';

/** What one command does. */
export type Classified = {
  tags: Set<Tag>;
  /** Arguments that name places. */
  paths: string[];
  /** Commands that it starts by itself (`find -exec`). */
  starts: (readonly string[])[];
  /** Scripts that a shell is given as text (`bash -c`, `eval`). */
  scripts: string[];
  /** Its name and subcommand, unless another program runs it. */
  program?: { name: string; subcommand: string | undefined; args: readonly string[] };
};

const PROGRAM_PATH = /^(?:\/usr|\/opt\/homebrew)?(?:\/local)?\/s?bin\/([^/]+)$/;
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'fish']);
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const HELP_OPTIONS = new Set(['--version', '--help', '-h', '-V', '-v']);

/** Classifies a command by the table of programs. Never throws. */
export function classifyCommand(words: readonly Word[]): Classified {
  const classified: Classified = { tags: new Set(), paths: [], starts: [], scripts: [] };
  runWords(words, classified);
  return classified;
}

function runWords([first, ...args]: readonly Word[], into: Classified): void {
  if (first === undefined) return;
  const name = first.known ? programName(first.text) : undefined;
  const program = name === undefined ? undefined : lookUp(name);
  if (name !== undefined && (SHELLS.has(name) || name === 'eval'))
    into.scripts.push(...scriptsOf(name, args));
  if (name === undefined || !program) {
    into.tags.add('unclassified');
    into.paths.push(...texts(args));
    return;
  }
  apply(program, args, into);
  const subcommand = program.subcommands
    ? splitArguments(texts(args), program.values).operands[0]
    : undefined;
  if (program.runs) delete into.program;
  else into.program = { name, subcommand, args: texts(args) };
}

function lookUp(name: string): Program | undefined {
  const key = name.startsWith('mkfs.') ? 'mkfs' : name;
  return Object.hasOwn(programs, key) ? programs[key] : undefined;
}

/** A program's name; undefined for a file of the caller's own, or what only the shell can tell. */
function programName(text: string): string | undefined {
  const name = text.includes('/') ? PROGRAM_PATH.exec(text)?.[1] : text;
  return name !== undefined && /^[\w.:[+-]+$/.test(name) ? name : undefined;
}

function scriptsOf(name: string, args: readonly Word[]): string[] {
  if (name === 'eval') return [texts(args).join(' ')];
  const at = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const script = at === -1 ? undefined : args[at + 1];
  return script?.known ? [script.text] : [];
}

function apply(program: Program, args: readonly Word[], into: Classified): void {
  const plain = texts(args);
  const { operands, values } = splitArguments(plain, program.values);
  const own = program.runs || program.subcommands ? untilOperand(program, args) : args;
  const { options } = splitArguments(texts(own), program.values);
  const add = (tags: readonly Tag[]): void => {
    for (const tag of tags) into.tags.add(tag);
  };
  add(program.tags ?? []);
  if (!program.inert && args.some(({ known }) => !known)) into.tags.add('unclassified');
  for (const [option, tags] of Object.entries(program.options ?? {})) {
    if (options.some((given) => means(given, option))) add(tags);
  }
  if (program.operands && operands.length >= program.operands.from) add(program.operands.tags);
  if (hasUnknownOption(program, options) || isSteeredByNames(program, args)) into.tags.add('unclassified');
  const inspection = program.inspect?.(plain);
  add(inspection?.tags ?? []);
  into.starts.push(...(inspection?.commands ?? []));
  if (program.runs) runWords(innerCommand(program, args, into), into);
  else if (program.subcommands) applySubcommand(program, args, into);
  else if (!program.inert)
    into.paths.push(...(inspection?.paths ?? pathsOf(program, options, operands, values)));
}

function hasUnknownOption({ flags, options, values }: Program, given: readonly string[]): boolean {
  if (!flags) return false;
  const known = [...flags, ...(values ?? []), ...Object.keys(options ?? {})];
  return given.some((option) => !known.includes(option) && !/^-\d$/.test(option));
}

/** Whether names of files could be taken for options that make it do another thing. */
function isSteeredByNames(program: Program, args: readonly Word[]): boolean {
  const { options, inspect, subcommands, runs, flags } = program;
  if (!options && !inspect && !subcommands && !runs && !flags) return false;
  const end = args.findIndex(({ text }) => text === '--' || (program.optionsFirst && !text.startsWith('-')));
  return args.slice(0, end === -1 ? args.length : end + 1).some(mayBeOption);
}

function pathsOf(program: Program, options: string[], operands: string[], values: string[]): string[] {
  const patternGiven = options.includes('-e') || options.includes('-f') || options.includes('--regexp');
  return [...(program.pattern && !patternGiven ? operands.slice(1) : operands), ...values];
}

/** The command that a wrapper runs: what follows its options, its operands and its variables. */
function innerCommand(program: Program, args: readonly Word[], into: Classified): readonly Word[] {
  const leading = untilOperand(program, args);
  const { options } = splitArguments(texts(leading), program.values);
  if (options.some((option) => program.runs?.notWith?.includes(option))) return [];
  let rest = args.slice(leading.length + (program.runs?.skip ?? 0));
  for (let name = variableOf(rest[0]); name !== undefined; name = variableOf(rest[0])) {
    if (steersPrograms(name)) into.tags.add('unclassified');
    rest = rest.slice(1);
  }
  return rest;
}

function variableOf(word: Word | undefined): string | undefined {
  return word && ASSIGNMENT.exec(word.text)?.[1];
}

/** The leading arguments that are options or their values. */
function untilOperand(program: Program, args: readonly Word[]): readonly Word[] {
  const valued = program.values ?? [];
  let at = 0;
  while (at < args.length) {
    const text = args[at]?.text ?? '';
    if (text === '--') return args.slice(0, at + 1);
    if (!/^-./.test(text)) break;
    const takesNext = valued.includes(text) || (!text.startsWith('--') && valued.includes(`-${text.at(-1)}`));
    at += takesNext ? 2 : 1;
  }
  return args.slice(0, at);
}

function applySubcommand(program: Program, args: readonly Word[], into: Classified): void {
  const leading = untilOperand(program, args);
  const known = [...(program.values ?? []), ...Object.keys(program.options ?? {}), ...HELP_OPTIONS];
  const { options } = splitArguments(texts(leading), program.values);
  if (options.some((option) => !known.includes(option))) into.tags.add('unclassified');
  const [name, ...rest] = args.slice(leading.length);
  if (name === undefined) return;
  const subcommand = Object.hasOwn(program.subcommands ?? {}, name.text)
    ? program.subcommands?.[name.text]
    : undefined;
  if (subcommand && name.known) apply(subcommand, rest, into);
  else into.tags.add('unclassified');
}
