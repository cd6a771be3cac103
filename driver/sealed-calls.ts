import type { DeviceSecret } from '../shared/kernel/seal/tunnel/device-secret.ts';
import {
  AnswerSealer,
  type Opened,
  openCall,
  type TunnelAnswer,
  type TunnelCall,
} from '../shared/kernel/seal/tunnel/messages.ts';
import { openBytes, sealBytes } from '../shared/kernel/seal/tunnel/sealed-bytes.ts';
import { SyscallError, toErrorShape } from '../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../shared/protocol/peer.ts';
import { toBase64 } from '../shared/std/bytes.ts';
import type { Random } from '../shared/std/random.ts';
import { checkArgs } from '../shared/syscalls/gate.ts';

type Answerer = (call: IncomingCall) => Promise<Reply>;

/** Nonces that are remembered; then a new session begins, and calls of the one before are made again under it. */
const NONCES_IN_SESSION = 50_000;

/** Lets through what was sealed with this device's secret, each message once, and nothing else. */
export function sealedCalls(
  secret: DeviceSecret,
  random: Random,
  answer: Answerer,
  most = NONCES_IN_SESSION,
): Answerer {
  const taken = new TakenCalls(random, most);
  return async (call) => {
    if (call.call !== 'device.call') throw inTheClear();
    const opened = await open(secret, call);
    const sealer = new AnswerSealer(secret, opened.nonce, random);
    const session = taken.sessionUnless(opened);
    if (session !== null) return { data: { sealed: await sealer.answer({ session }) } };
    return within(secret, sealer, opened, call, answer);
  };
}

/** Of a device that has no secret. */
export function clearCalls(answer: Answerer): Answerer {
  return (call) => (call.call === 'device.call' ? Promise.reject(noSecret()) : answer(call));
}

async function within(
  secret: DeviceSecret,
  sealer: AnswerSealer,
  { content, nonce }: Opened<TunnelCall>,
  call: IncomingCall,
  answer: Answerer,
): Promise<Reply> {
  const said = new Said(sealer, (text) => call.progress(text));
  const stream = call.stream && openBytes(call.stream, await secret.cipher('bytes in', [nonce]));
  const inner = {
    ...call,
    call: content.call ?? '',
    args: content.args,
    key: content.key,
    stream,
    progress: (text: string) => said.say(text),
  };
  const { reply, result } = await settled(answer(inner));
  await said.all();
  const sealed = await sealer
    .answer(result)
    .catch((thrown) => sealer.answer({ error: toErrorShape(thrown) }));
  if (!reply?.stream) return { data: { sealed } };
  const cipher = await secret.cipher('bytes out', [nonce, sealer.nonce]);
  return { data: { sealed }, stream: sealBytes(reply.stream, cipher) };
}

async function settled(answer: Promise<Reply>): Promise<{ reply?: Reply; result: TunnelAnswer }> {
  try {
    const reply = await answer;
    return { reply, result: { data: reply.data ?? null } };
  } catch (thrown) {
    return { result: { error: toErrorShape(thrown) } };
  }
}

async function open(secret: DeviceSecret, call: IncomingCall): Promise<Opened<TunnelCall>> {
  const { sealed } = checkArgs('device.call', call.args);
  return openCall(secret, sealed).catch(() => {
    throw new SyscallError(
      403,
      `The call was not sealed for this device. If ${secret.deviceId} was paired again since, start it with the new line, and make tokens for commands anew.`,
    );
  });
}

/** What was taken in this session. One that is not known was another run of this program, or too long ago. */
class TakenCalls {
  readonly #random: Random;
  readonly #most: number;
  readonly #nonces = new Set<string>();
  #session: string;

  constructor(random: Random, most: number) {
    this.#random = random;
    this.#most = most;
    this.#session = random.uuid();
  }

  /** Null when the call may happen now; else the session under which it is to be made. */
  sessionUnless({ content, nonce }: Opened<TunnelCall>): string | null {
    const name = toBase64(nonce);
    const again = content.session !== this.#session || this.#nonces.has(name);
    if (again || content.call === undefined) return this.#session;
    if (this.#nonces.size >= this.#most) return this.#next();
    this.#nonces.add(name);
    return null;
  }

  #next(): string {
    this.#nonces.clear();
    this.#session = this.#random.uuid();
    return this.#session;
  }
}

/** Says sealed what there is so far, in the order in which it was said. */
class Said {
  readonly #sealer: AnswerSealer;
  readonly #say: (sealed: string) => void;
  #work = Promise.resolve();

  constructor(sealer: AnswerSealer, say: (sealed: string) => void) {
    this.#sealer = sealer;
    this.#say = say;
  }

  say(text: string): void {
    this.#work = this.#work.then(async () => this.#say(await this.#sealer.progress(text)));
  }

  all(): Promise<void> {
    return this.#work;
  }
}

function inTheClear(): SyscallError {
  return new SyscallError(
    403,
    'This device takes sealed calls alone: its server is not to read what passes. Act from a browser of its GSV, or with a token that was made for commands on it (Settings, Tokens).',
  );
}

function noSecret(): SyscallError {
  return new SyscallError(
    403,
    'This device was paired without a secret. Pair it again on the page, under Devices.',
  );
}
