import { SyscallError } from '../../shared/protocol/errors.ts';
import { Unreachable } from './dial.ts';

/** Why there is no connection, in words for a person, and whether trying soon again could help. */
export type Refusal = { message: string; patience: 'soon' | 'long' };

/** Explains what `dial` rejected with. */
export function explainRefusal(thrown: unknown, url: string, deviceId: string): Refusal {
  if (thrown instanceof Unreachable)
    return { message: `Cannot reach ${url}: ${thrown.message}.`, patience: 'soon' };
  if (!(thrown instanceof SyscallError))
    return { message: `Cannot connect to ${url}: ${String(thrown)}`, patience: 'soon' };
  const advice = adviceFor(thrown.code, deviceId);
  const said = `${url} refused the connection (${thrown.code} ${thrown.message}).`;
  return advice ? { message: `${said} ${advice}`, patience: 'long' } : { message: said, patience: 'soon' };
}

function adviceFor(code: number, deviceId: string): string | undefined {
  switch (code) {
    case 400:
      return 'This driver and the server do not understand each other: use the gsv.mjs that this server offers.';
    case 401:
      return `The token is wrong, of another device, expired or revoked: check --id, or make a new one for device "${deviceId}" on the page, under Devices.`;
    case 403:
      return `The token does not allow device "${deviceId}": check --id, or make a token for this device on the page.`;
    case 409:
      return `Another driver is connected as "${deviceId}": stop it, or choose another --id with its own token.`;
    case 425:
      return 'The server is not set up yet: open its page first.';
    case 426:
      return 'This driver speaks another version of the protocol: use the gsv.mjs that this server offers.';
    default:
      return undefined;
  }
}
