import { SyscallError } from '../../../protocol/errors.ts';
import type { Random } from '../../../std/random.ts';
import type { SyscallName } from '../../../syscalls/table.ts';
import type { CallDevice, Dispatched, DispatchOptions } from '../../dispatch.ts';
import { DeviceSecret } from './device-secret.ts';
import {
  type Opened,
  openAnswer,
  openProgress,
  type Sealed,
  sealCall,
  type TunnelAnswer,
  type TunnelCall,
} from './messages.ts';
import { openBytes, sealBytes } from './sealed-bytes.ts';

export type DeviceTunnelParts = {
  /** The secret of a device, as text; undefined where it has none. */
  secretOf(deviceId: string): string | undefined;
  random: Random;
  /** Makes a call on a device by way of the room, as it is. */
  callDevice: CallDevice;
  /** Whether this GSV is sealed: nothing goes to a device in the clear then. */
  sealed(): boolean;
};

/** How often a call is made again under the session that the device named. */
const TRIES = 3;

/**
 * Device calls that the room can neither read nor make nor repeat. What the room itself says (a device that is
 * offline, a lease that is another's) is not sealed: the room can refuse a call or lose one, and so can every network.
 */
export class DeviceTunnel {
  readonly #parts: DeviceTunnelParts;
  readonly #secrets = new Map<string, DeviceSecret>();
  /** What each device said last. */
  readonly #sessions = new Map<string, string>();

  constructor(parts: DeviceTunnelParts) {
    this.#parts = parts;
  }

  /** As `CallDevice`; 403 when this GSV is sealed and the device has no secret. */
  readonly call: CallDevice = async (deviceId, call, args, options) => {
    const secret = this.#secretOf(deviceId);
    if (secret) return this.#sealed(secret, call, args, options);
    if (!this.#parts.sealed()) return this.#parts.callDevice(deviceId, call, args, options);
    throw new SyscallError(
      403,
      `${deviceId} was added before this GSV was sealed. Pair it again, under Devices: until then nothing is sent to it.`,
    );
  };

  async #sealed(
    secret: DeviceSecret,
    call: SyscallName,
    args: Record<string, unknown>,
    options: DispatchOptions,
  ): Promise<Dispatched> {
    // Bytes can be sent once only, so the session is made sure of first.
    if (options.stream || !this.#sessions.has(secret.deviceId)) await this.#greet(secret, options);
    const { key } = options;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const session = this.#sessions.get(secret.deviceId) ?? '';
      const content = { session, call, args, ...(key === undefined ? {} : { key }) };
      const exchange = await this.#exchange(secret, content, options);
      const { content: answer } = exchange.answer;
      if ('session' in answer) this.#sessions.set(secret.deviceId, answer.session);
      else return this.#dispatched(secret, exchange);
      if (options.stream) break;
    }
    throw new SyscallError(503, `${secret.deviceId} was started again just now`, { retryable: true });
  }

  async #dispatched(secret: DeviceSecret, { sealed, answer, stream }: Exchange): Promise<Dispatched> {
    if (!('data' in answer.content)) throw refusalOf(answer.content);
    if (!stream) return { data: answer.content.data, stream: undefined };
    const cipher = await secret.cipher('bytes out', [sealed.nonce, answer.nonce]);
    return { data: answer.content.data, stream: openBytes(stream, cipher) };
  }

  /** Asks for the session. */
  async #greet(secret: DeviceSecret, { signal, timeoutMs }: DispatchOptions): Promise<void> {
    const { answer } = await this.#exchange(secret, { session: '' }, { signal, timeoutMs });
    if ('session' in answer.content) this.#sessions.set(secret.deviceId, answer.content.session);
  }

  async #exchange(
    secret: DeviceSecret,
    content: TunnelCall,
    { key: _key, stream, onProgress, ...options }: DispatchOptions,
  ): Promise<Exchange> {
    const { random, callDevice } = this.#parts;
    const { deviceId } = secret;
    const sealed = await sealCall(secret, content, random);
    const listener = onProgress && progressOf(secret, sealed, onProgress);
    const bytes = stream && sealBytes(stream, await secret.cipher('bytes in', [sealed.nonce]));
    const reply = await callDevice(
      deviceId,
      'device.call',
      { deviceId, sealed: sealed.text },
      {
        ...options,
        ...(bytes ? { stream: bytes } : {}),
        ...(listener ? { onProgress: listener.heard } : {}),
      },
    );
    await listener?.all();
    const text = (reply.data as { sealed?: unknown } | null)?.sealed;
    const answer = await openAnswer(secret, sealed.nonce, String(text)).catch(() => {
      void reply.stream?.cancel().catch(() => {});
      throw new SyscallError(502, `What came back is not what ${deviceId} answered`, {
        details: { inFlight: true },
      });
    });
    return { sealed, answer, stream: reply.stream };
  }

  #secretOf(deviceId: string): DeviceSecret | undefined {
    const text = this.#parts.secretOf(deviceId);
    const known = this.#secrets.get(deviceId);
    if (text === undefined || known?.text === text) return text === undefined ? undefined : known;
    const secret = DeviceSecret.parse(deviceId, text);
    this.#sessions.delete(deviceId);
    if (secret) this.#secrets.set(deviceId, secret);
    return secret;
  }
}

type Exchange = { sealed: Sealed; answer: Opened<TunnelAnswer>; stream: Dispatched['stream'] };

function refusalOf(answer: TunnelAnswer): SyscallError {
  return 'error' in answer ? SyscallError.from(answer.error) : new SyscallError(502, 'No answer');
}

/** Opens what a device says of a call that goes on; what comes late or was made up is left out. */
function progressOf(secret: DeviceSecret, { nonce }: Sealed, onProgress: (text: string) => void) {
  let heard = 0;
  let work = Promise.resolve();
  const open = async (sealed: string): Promise<void> => {
    const { text, number } = await openProgress(secret, nonce, sealed);
    if (number <= heard) return;
    heard = number;
    onProgress(text);
  };
  return {
    heard: (sealed: string): void => {
      work = work.then(() => open(sealed)).catch(() => {});
    },
    all: () => work,
  };
}
