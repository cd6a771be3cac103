import {
  DELTA,
  type Engine,
  GENERATE,
  GenerateArgs,
  LOAD,
  LoadArgs,
  UNLOAD,
} from '../../shared/kernel/local/engine.ts';
import type { EngineName } from '../../shared/kernel/local/engine-names.ts';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import { type IncomingCall, Peer, type Reply } from '../../shared/protocol/peer.ts';
import type { PortLike } from '../../shared/protocol/port-link.ts';
import { PortLink } from '../../shared/protocol/port-link.ts';
import { matches } from '../../shared/std/matches.ts';
import { BusPort } from '../kernel-host/bus-port.ts';
import type { Lend } from '../kernel-host/door.ts';
import { holdLock, sayHello } from '../kernel-host/greeting.ts';
import { systemClock } from '../kernel-host/platform.ts';

/** Text goes to the kernel at most this often: a frame for each token of a fast model costs more than it shows. */
const BATCH_MS = 25;
const HELLO_MS = 20_000;

export type EngineMakers = Partial<Record<EngineName, () => Promise<Engine>>>;

/** Lends engines to the kernel at the other end of a port. Resolves when the kernel has no more use for them. */
export async function lendEngines(
  port: PortLike,
  lender: string,
  engines: Lend['engines'],
  makers: EngineMakers,
): Promise<void> {
  const lock = `gsv-lender-${lender}`;
  const release = await holdLock(lock);
  const hello: Lend = { type: 'lend', lender, lock, engines };
  const served = new ServedEngines(makers);
  try {
    const kernelLock = await sayHello(port, hello, port instanceof BusPort, AbortSignal.timeout(HELLO_MS));
    const link = new PortLink(port);
    await new Promise<void>((resolve) => {
      served.serve(link, resolve);
      void navigator.locks.request(kernelLock, { mode: 'shared' }, () => link.lost('the kernel ended'));
    });
  } finally {
    await served.end();
    release();
  }
}

/** At most one model is loaded, in one engine. */
class ServedEngines {
  readonly #makers: EngineMakers;
  #current: { name: EngineName; engine: Engine } | null = null;

  constructor(makers: EngineMakers) {
    this.#makers = makers;
  }

  serve(link: PortLink, onClosed: () => void): void {
    const peer: Peer = new Peer(link, 'connecting', systemClock, {
      call: (call) => this.#answer(call, (id, text) => peer.signal(DELTA, { id, text })),
      signal: () => {},
      closed: onClosed,
    });
  }

  async end(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    await current?.engine.unload().catch(() => {});
  }

  async #answer(call: IncomingCall, send: (id: string, text: string) => void): Promise<Reply> {
    try {
      return { data: await this.#run(call, send) };
    } catch (thrown) {
      if (thrown instanceof SyscallError) throw thrown;
      throw new SyscallError(500, messageOf(thrown));
    }
  }

  async #run(
    { call, args, signal, progress }: IncomingCall,
    send: (id: string, text: string) => void,
  ): Promise<unknown> {
    if (call === LOAD && matches(LoadArgs, args)) {
      return (await this.#engine(args.engine)).load(args, progress, signal);
    }
    if (call === GENERATE && matches(GenerateArgs, args)) {
      if (!this.#current) throw new SyscallError(409, 'No model is loaded');
      const batch = new TextBatch((text) => send(args.id, text));
      const generated = await this.#current.engine.generate(args, (text) => batch.push(text), signal);
      batch.flush();
      return generated;
    }
    if (call === UNLOAD) return this.end();
    throw new SyscallError(400, `Not a call for an engine: ${call}`);
  }

  async #engine(name: EngineName): Promise<Engine> {
    if (this.#current?.name === name) return this.#current.engine;
    await this.end();
    const make = this.#makers[name];
    if (!make) throw new SyscallError(400, `This page has no engine ${name}`);
    const engine = await make();
    this.#current = { name, engine };
    return engine;
  }
}

class TextBatch {
  readonly #send: (text: string) => void;
  #text = '';
  #sentAt = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#text += text;
    const now = performance.now();
    if (now - this.#sentAt < BATCH_MS) return;
    this.#sentAt = now;
    this.flush();
  }

  flush(): void {
    if (this.#text !== '') this.#send(this.#text);
    this.#text = '';
  }
}
