import { Value } from 'typebox/value';
import {
  DELTA,
  Delta,
  type Engine,
  GENERATE,
  type GenerateArgs,
  Generated,
  LOAD,
  type LoadArgs,
  Loaded,
  UNLOAD,
} from '../../../shared/kernel/local/engine.ts';
import { EngineLost } from '../../../shared/kernel/local/local-models.ts';
import { SyscallError } from '../../../shared/protocol/errors.ts';
import type { SignalFrame } from '../../../shared/protocol/frames.ts';
import type { Link } from '../../../shared/protocol/link.ts';
import { type CallOptions, Peer } from '../../../shared/protocol/peer.ts';
import type { Clock } from '../../../shared/std/clock.ts';

/** Large models take long to load and, on a slow device, to speak. A page that dies is noticed at once by its lock. */
const LOAD_MS = 15 * 60_000;
const GENERATE_MS = 60 * 60_000;
const UNLOAD_MS = 10_000;

/** The kernel's end of an engine that a page lends. */
export class LentEngine implements Engine {
  readonly #peer: Peer;
  readonly #listeners = new Map<string, (text: string) => void>();

  constructor(link: Link, clock: Clock, onClosed: () => void) {
    this.#peer = new Peer(link, 'accepting', clock, {
      call: () => Promise.reject(new SyscallError(404, 'A lent engine is called, and calls nobody')),
      signal: (frame) => this.#hear(frame),
      closed: onClosed,
    });
  }

  async load(args: LoadArgs, onProgress: (text: string) => void, signal: AbortSignal): Promise<Loaded> {
    const answer = await this.#call(LOAD, args, { timeoutMs: LOAD_MS, onProgress, signal });
    return Value.Parse(Loaded, answer);
  }

  async generate(
    args: GenerateArgs,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Generated> {
    this.#listeners.set(args.id, onText);
    try {
      return Value.Parse(Generated, await this.#call(GENERATE, args, { timeoutMs: GENERATE_MS, signal }));
    } finally {
      this.#listeners.delete(args.id);
    }
  }

  async unload(): Promise<void> {
    await this.#call(UNLOAD, {}, { timeoutMs: UNLOAD_MS });
  }

  close(reason: string): void {
    this.#peer.close(1000, reason);
  }

  async #call(call: string, args: unknown, options: CallOptions): Promise<unknown> {
    try {
      return (await this.#peer.call(call, args, options)).data;
    } catch (thrown) {
      if (this.#peer.closed) throw new EngineLost('The tab that ran the model is gone');
      throw thrown;
    }
  }

  #hear({ signal, payload }: SignalFrame): void {
    if (signal === DELTA && Value.Check(Delta, payload)) this.#listeners.get(payload.id)?.(payload.text);
  }
}
