import { showHidden } from '../parts/machine-text.ts';

/** Whether a failure is mended in the settings of the model. */
export function namesSettings(failure: string): boolean {
  return /\bin Settings\b/.test(failure);
}

/** The same failure, said where those settings are on the screen. */
export function besideSettings(failure: string, where: 'above' | 'below'): string {
  return failure.replace(/in Settings(, Model,)?/g, where);
}

/** Why a device did not answer, and what the devices page has about it. */
export type DeviceFailure = { text: string; see: string };

const DEVICE_FAILURES: readonly [RegExp, (device: string) => DeviceFailure][] = [
  [
    /^Device (?:offline|disconnected): (\S+) \(503\)$/,
    (device) => ({
      text: `“${device}” is not connected: its driver does not run, or it has no network.`,
      see: 'How to start it',
    }),
  ],
  [
    /^No active connection to device: (\S+) \(503\)$/,
    (device) => ({
      text: `There was no way to “${device}”: this browser had lost its server. Ask again when it says “Synced”.`,
      see: 'Your devices',
    }),
  ],
  [
    /^Access denied to device: (\S+) \(403\)$/,
    (device) => ({ text: `There is no device “${device}” that GSV may use.`, see: 'Your devices' }),
  ],
];

/** Null for every other failure of a call. */
export function deviceFailure(failure: string): DeviceFailure | null {
  for (const [kind, words] of DEVICE_FAILURES) {
    const [, device] = kind.exec(failure) ?? [];
    if (device !== undefined) return words(showHidden(device));
  }
  return null;
}
