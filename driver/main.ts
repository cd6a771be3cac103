import { SyscallError } from '../shared/protocol/errors.ts';
import { GSV_VERSION } from '../shared/protocol/version.ts';
import { deviceRun } from './commands/device-run.ts';
import { devices } from './commands/devices.ts';
import { exec } from './commands/exec.ts';
import { HELP } from './commands/help.ts';
import type { Program } from './commands/program.ts';
import { read } from './commands/read.ts';
import { tell } from './commands/tell.ts';
import { Unreachable } from './link/dial.ts';
import { UsageError } from './usage.ts';

const FAILED = 1;
const MISUSED = 2;
/** What a shell reports of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

async function main(args: string[]): Promise<number> {
  const [command, ...rest] = args;
  const program = currentProgram();
  switch (command) {
    case 'device':
      if (rest[0] === 'run') return deviceRun(rest.slice(1), program);
      throw new UsageError('gsv device has one command: run');
    case 'exec':
      return exec(rest, program);
    case 'read':
      return read(rest, program);
    case 'tell':
      return tell(rest, program);
    case 'devices':
      return devices(rest, program);
    case '--version':
      process.stdout.write(`${GSV_VERSION}\n`);
      return 0;
    case '--help':
    case 'help':
      process.stdout.write(HELP);
      return 0;
    default:
      throw new UsageError(command === undefined ? 'No command' : `Unknown command: ${command}`);
  }
}

/** The second signal ends the program where the first one was not enough. */
function currentProgram(): Program {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // A terminal that closes ends what runs in it; under nohup there is none to close.
  if (process.stdin.isTTY) process.on('SIGHUP', onSignal);
  // Whoever read the output has gone: a command is over, but a device goes on without its words.
  process.stdout.on('error', () => process.exit(FAILED));
  process.stderr.on('error', () => {});
  return {
    environment: process.env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    stopped: stop.signal,
  };
}

function report(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    process.stderr.write(`gsv: ${thrown.message}\nSee gsv --help\n`);
    return MISUSED;
  }
  if (thrown instanceof SyscallError) process.stderr.write(`${thrown.code} ${thrown.message}\n`);
  else if (thrown instanceof Unreachable)
    process.stderr.write(`Cannot reach the server: ${thrown.message}\n`);
  else
    process.stderr.write(
      `gsv: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
    );
  return FAILED;
}

const exitCode = await main(process.argv.slice(2)).catch(report);
// Output to a pipe is written in the background; leaving before it is gone would cut it.
process.stdout.write('', () => process.exit(exitCode));
