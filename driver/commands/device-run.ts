import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Value } from 'typebox/value';
import { DeviceId } from '../../shared/syscalls/sys.ts';
import { shellTimes } from '../host/shell/shells.ts';
import { serverAddress } from '../link/address.ts';
import { type DeviceSettings, runDevice } from '../run-device.ts';
import { UsageError } from '../usage.ts';
import { given, type Parsed, parseOptions, required, seconds } from './options.ts';
import { deviceSecret, splitToken } from './pairing.ts';
import type { Program } from './program.ts';
import { findToken } from './token.ts';

const HOUR_MS = 60 * 60_000;

/** `gsv device run`: answers calls until it is told to stop. Resolves with the exit code. */
export async function deviceRun(args: string[], program: Program): Promise<number> {
  const parsed = parseOptions(args, {
    url: { type: 'string' },
    user: { type: 'string' },
    id: { type: 'string' },
    workspace: { type: 'string' },
    'token-file': { type: 'string' },
    'log-file': { type: 'string' },
    'state-dir': { type: 'string' },
    'read-only': { type: 'boolean' },
    'allow-root-dir': { type: 'string' },
    lifetime: { type: 'string' },
    wait: { type: 'string' },
  });
  const settings = readSettings(parsed, program);
  const pasted = await findToken(given(parsed, 'token-file'), program.environment, program);
  const pairing = splitToken(pasted);
  const secret = deviceSecret(settings.id, pairing);
  await runDevice({ ...settings, token: pairing.token, secret }, program);
  return 0;
}

function readSettings(parsed: Parsed, { environment }: Program): Omit<DeviceSettings, 'token' | 'secret'> {
  const id = required(parsed, 'id');
  if (!Value.Check(DeviceId, id)) {
    throw new UsageError('--id must be lower-case letters, digits, dots, dashes and underscores, at most 63');
  }
  const allowedRoot = given(parsed, 'allow-root-dir');
  return {
    id,
    address: serverAddress(given(parsed, 'url') ?? environment.GSV_URL ?? required(parsed, 'url')),
    username: given(parsed, 'user') ?? environment.GSV_USER ?? 'gsv',
    machine: {
      home: homedir(),
      workspace: directory(required(parsed, 'workspace'), '--workspace'),
      allowedRoot:
        allowedRoot === undefined ? undefined : realpathSync(directory(allowedRoot, '--allow-root-dir')),
    },
    stateDirectory: stateDirectory(given(parsed, 'state-dir'), id, environment),
    logFile: given(parsed, 'log-file'),
    policy: { readOnly: parsed.values['read-only'] === true },
    times: {
      waitMs: seconds(parsed, 'wait', shellTimes.waitMs, 250, 30_000),
      lifetimeMs: seconds(parsed, 'lifetime', shellTimes.lifetimeMs, 1000, 24 * HOUR_MS),
    },
  };
}

function directory(path: string, option: string): string {
  const absolute = resolve(path);
  if (!statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${option} is no directory: ${absolute}`);
  }
  return absolute;
}

function stateDirectory(wanted: string | undefined, id: string, environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const path = wanted === undefined ? join(base, 'gsv', id) : resolve(wanted);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    throw new UsageError(`--state-dir cannot be made: ${path}`);
  }
  return path;
}
