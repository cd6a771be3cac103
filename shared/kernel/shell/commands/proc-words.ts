import { type CommandResult, failed, printed } from '../command.ts';

export type Words = {
  options: Record<string, string>;
  flags: Set<string>;
  words: string[];
  problem: string | null;
};

/** Options with a value, flags, and the other arguments. What follows `--` is no option. */
export function parse(
  args: readonly string[],
  valued: readonly string[] = [],
  flags: readonly string[] = [],
): Words {
  const read: Words = { options: {}, flags: new Set(), words: [], problem: null };
  const left = args.values();
  for (const arg of left) {
    const name = arg.slice(2);
    if (arg === '--') read.words.push(...left);
    else if (!arg.startsWith('--')) read.words.push(arg);
    else if (valued.includes(name)) {
      const value = left.next().value;
      if (value === undefined) read.problem = `${arg} needs a value`;
      else read.options[name] = value;
    } else if (flags.includes(name)) read.flags.add(name);
    else read.problem ??= `there is no option ${arg}`;
  }
  return read;
}

/** A number above 0 from an option, times `unit`; null when it is none. */
export function numberOf(text: string | undefined, unit = 1): number | null | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? Math.round(value * unit * 1e6) / 1e6 : null;
}

/** Whether a word can only be a process. */
export const isPid = (word: string | undefined): word is string =>
  word !== undefined && /^(init:\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(word);

type Failure = { ok: false; error: string };

export async function answered<Answer extends { ok: boolean }>(
  asked: Promise<Answer>,
  describe: (answer: Exclude<Answer, Failure>) => string,
): Promise<CommandResult> {
  const answer = await asked;
  if (!answer.ok) return failed('proc', (answer as unknown as Failure).error);
  return printed(describe(answer as Exclude<Answer, Failure>));
}
