import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../usage.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
export type Parsed = { values: Record<string, string | boolean | undefined>; positionals: string[] };

/** Parses one command's arguments. Throws UsageError that names what is wrong, never a token. */
export function parseOptions(args: string[], options: Options): Parsed {
  refuseTokenArgument(args);
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    return { values: values as Parsed['values'], positionals };
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refuseTokenArgument(args: string[]): void {
  const end = args.indexOf('--');
  const ours = end === -1 ? args : args.slice(0, end);
  if (ours.some((arg) => /^--token(=|$)/.test(arg))) {
    throw new UsageError(
      'A token on the command line can be seen by every user of this machine: use --token-file FILE or GSV_TOKEN',
    );
  }
}

export function required({ values }: Parsed, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

export function given({ values }: Parsed, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** A length of time given in seconds, as milliseconds, held between two bounds that are given in milliseconds. */
export function seconds(parsed: Parsed, name: string, fallback: number, least: number, most: number): number {
  const text = given(parsed, name);
  if (text === undefined) return fallback;
  const ms = Number(text) * 1000;
  if (!(ms >= least && ms <= most)) {
    throw new UsageError(`--${name} must be between ${least / 1000} and ${most / 1000} seconds`);
  }
  return ms;
}
