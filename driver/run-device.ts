import { join } from 'node:path';
import type { DeviceSecret } from '../shared/kernel/seal/tunnel/device-secret.ts';
import type { PeerHandlers } from '../shared/protocol/peer.ts';
import { deferred } from '../shared/std/deferred.ts';
import type { Program } from './commands/program.ts';
import { device } from './device.ts';
import { hostHandlers } from './host/host.ts';
import type { Machine } from './host/machine.ts';
import { withRipgrepShim } from './host/shell/ripgrep-shim.ts';
import { Shells, type ShellTimes } from './host/shell/shells.ts';
import { shellSettings } from './host/shell/start-command.ts';
import { systemClock, systemRandom } from './host/system.ts';
import { Journal } from './journal/journal.ts';
import { holdLock } from './journal/lock.ts';
import { type Address, exposureWarning } from './link/address.ts';
import { BackOff } from './link/back-off.ts';
import { dial, type Introduction } from './link/dial.ts';
import { explainRefusal } from './link/refusal.ts';
import { type Line, type StayEvents, stayConnected } from './link/stay-connected.ts';
import { type Log, noLog } from './log/log.ts';
import { rotatingLog } from './log/rotating-log.ts';
import type { Policy } from './policy/policy.ts';
import { clearCalls, sealedCalls } from './sealed-calls.ts';
import { UsageError } from './usage.ts';

export type DeviceSettings = {
  id: string;
  address: Address;
  username: string;
  token: string;
  /** Of a device of a sealed GSV; null takes calls in the clear. */
  secret: DeviceSecret | null;
  machine: Machine;
  stateDirectory: string;
  logFile: string | undefined;
  policy: Policy;
  times: ShellTimes;
};

/** Runs the device until the program is stopped, then ends every command it started. */
export async function runDevice(settings: DeviceSettings, program: Program): Promise<void> {
  const log = openLog(settings.logFile);
  const unlock = await holdLock(settings.stateDirectory);
  const journal = await Journal.open(join(settings.stateDirectory, 'calls'), systemClock);
  const environment = withRipgrepShim(program.environment, settings.stateDirectory);
  const shells = new Shells(
    shellSettings(environment, settings.id),
    settings.times,
    systemClock,
    systemRandom,
  );
  const answer = device({
    ...settings,
    handlers: hostHandlers(settings.machine, shells),
    journal,
    log,
    clock: systemClock,
  });
  const { secret } = settings;
  const call = secret ? sealedCalls(secret, systemRandom, answer) : clearCalls(answer);
  const say = (text: string): void => void program.errors.write(`${text}\n`);
  const { shownUrl } = settings.address;
  program.errors.write(exposureWarning(settings.address) ?? '');
  await stayConnected(
    () => connect(settings, call),
    (thrown) => explainRefusal(thrown, shownUrl, settings.id),
    narrate(settings, say, log),
    new BackOff(systemRandom),
    systemClock,
    program.stopped,
  );
  await shells.close();
  await journal.close();
  await unlock();
  log({ level: 'info', event: 'stopped' });
}

async function connect(settings: DeviceSettings, call: PeerHandlers['call']): Promise<Line> {
  const ended = deferred<string>();
  const introduction: Introduction = {
    client: { id: settings.id, role: 'driver' },
    driver: { implements: ['fs.*', 'shell.exec'] },
    auth: { username: settings.username, token: settings.token },
  };
  const { peer } = await dial(settings.address.socketUrl, introduction, systemClock, {
    call,
    signal: () => {},
    closed: ended.resolve,
  });
  return { ended: ended.promise, hangUp: (reason) => peer.close(1000, reason) };
}

function narrate(
  { id, address, machine }: DeviceSettings,
  say: (text: string) => void,
  log: Log,
): StayEvents {
  return {
    connected() {
      say(`Connected to ${address.shownUrl} as device "${id}", workspace ${machine.workspace}`);
      log({ level: 'info', event: 'connected' });
    },
    disconnected(reason) {
      say(`Disconnected: ${reason}`);
      log({ level: 'warn', event: 'disconnected', detail: reason });
    },
    refused(message) {
      say(`${message} Trying again until it works.`);
      log({ level: 'warn', event: 'refused', detail: message });
    },
  };
}

function openLog(path: string | undefined): Log {
  try {
    return path === undefined ? noLog : rotatingLog(path, systemClock);
  } catch {
    throw new UsageError(`--log-file cannot be written: ${path}`);
  }
}
