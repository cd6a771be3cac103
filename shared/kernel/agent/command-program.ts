import type { Word } from './command-word.ts';

/** Why a shell command deserves a look (FACTS, "Approval policy"). */
export type Tag =
  | 'remote'
  | 'mutating'
  | 'destructive'
  | 'privileged'
  | 'network'
  | 'hidden-path'
  | 'outside-cwd'
  | 'outside-home'
  | 'unclassified';

/** What a program does, as far as its arguments tell. One with no field set only reads. */
export type Program = {
  /** Whatever its arguments are. */
  tags?: readonly Tag[];
  /** By option. Short ones count inside a bundle, long ones also abbreviated or with `=value`. */
  options?: Readonly<Record<string, readonly Tag[]>>;
  /**
   * Where it is given: every option that is understood, beside those of `options` and `values`, in full and no other.
   * Any other is unclassified.
   */
  flags?: readonly string[];
  /** Options stand before the first operand only. */
  optionsFirst?: true;
  /** Letters of short options, and long options, that take a value. */
  values?: readonly string[];
  /** When it is given this many operands or more. */
  operands?: { from: number; tags: readonly Tag[] };
  /** By its first operand; any other is unclassified. */
  subcommands?: Readonly<Record<string, Program>>;
  /** Runs the command that follows its options and `skip` operands, except with certain options. */
  runs?: { skip: number; notWith?: readonly string[] };
  /** Decides by all of its arguments. */
  inspect?: (args: readonly string[]) => Inspection;
  /** Its arguments are text: they name no files and cannot make it do another thing. */
  inert?: true;
  /** Its first operand is a pattern or a script, not a path. */
  pattern?: true;
};

export type Inspection = {
  tags: readonly Tag[];
  /** Commands that it runs. */
  commands?: readonly (readonly string[])[];
  /** Which of its arguments are paths; all when absent. */
  paths?: readonly string[];
};

/** The options of an argument list, and its operands. `values` are what options were given. */
export type Arguments = { options: string[]; operands: string[]; values: string[] };

export function splitArguments(args: readonly string[], valued: readonly string[] = []): Arguments {
  const split: Arguments = { options: [], operands: [], values: [] };
  const left = args.values();
  for (const arg of left) {
    if (arg === '--') split.operands.push(...left);
    else if (!/^-./.test(arg)) split.operands.push(arg);
    else takeOption(arg, valued, split, () => left.next().value);
  }
  return split;
}

function takeOption(
  arg: string,
  valued: readonly string[],
  split: Arguments,
  next: () => string | undefined,
): void {
  const take = (value: string | undefined): void => {
    if (value !== undefined) split.values.push(value);
  };
  if (arg.startsWith('--')) {
    const [name = '', ...value] = arg.split('=');
    split.options.push(name);
    if (value.length > 0) take(value.join('='));
    else if (valued.includes(name)) take(next());
    return;
  }
  for (const [at, letter] of [...arg.slice(1)].entries()) {
    split.options.push(`-${letter}`);
    if (!valued.includes(`-${letter}`)) continue;
    const rest = arg.slice(at + 2);
    take(rest === '' ? next() : rest);
    return;
  }
}

/** Whether an option that was given can mean `name`; long options may be abbreviated. */
export function means(given: string, name: string): boolean {
  if (given === name) return true;
  return given.startsWith('--') && given.length > 2 && name.startsWith(given);
}

export function texts(words: readonly Word[]): string[] {
  return words.map(({ text }) => text);
}
