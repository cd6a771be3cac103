import { isKind } from '../program/program.ts';

export type Options = {
  /** Runs the seeds from `first` to before `first + seeds`, every `step`-th. */
  seeds: number;
  first: number;
  step: number;
  operations: number;
  /** Makes a failing program smaller before it is shown. */
  shrinks: boolean;
  /** How many lines of the trace a failure shows before the end of its program, and after. */
  traceLines: number;
  /** The kinds of operations to use; all when empty. */
  kinds: readonly string[];
  /** Whether seeds are of a hostile room instead of programs. */
  hostile: boolean;
  /** A program to run and show instead of seeds. */
  program: string | undefined;
};

/**
 * `--seeds 2000 --seed 17 --ops 500 --no-shrink --trace 200 --kinds flow,send,cut --program "17 send:9x2 …" --hostile`.
 * Throws on anything else.
 */
export function parseOptions(args: readonly string[]): Options {
  const options: Options = {
    seeds: 200,
    first: 1,
    step: 1,
    operations: 500,
    shrinks: true,
    traceLines: 30,
    kinds: [],
    hostile: false,
    program: undefined,
  };
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--no-shrink') options.shrinks = false;
    else if (name === '--hostile') options.hostile = true;
    else if (name === '--kinds') options.kinds = kindsIn(rest.shift());
    else if (name === '--program') options.program = rest.shift();
    else setNumber(options, name, Number(rest.shift()));
  }
  return options;
}

function kindsIn(list = ''): string[] {
  const kinds = list.split(',');
  for (const kind of kinds) if (!isKind(kind)) throw new Error(`There is no operation ${kind}`);
  return kinds;
}

function setNumber(options: Options, name: string, value: number): void {
  if (!Number.isInteger(value)) throw new Error(`${name} needs a whole number`);
  if (name === '--seeds') options.seeds = value;
  else if (name === '--seed') options.first = value;
  else if (name === '--ops') options.operations = value;
  else if (name === '--trace') options.traceLines = value;
  else if (name === '--step') options.step = value;
  else throw new Error(`There is no option ${name}`);
}
