import { Value } from 'typebox/value';
import type { Engine } from '../../../shared/kernel/local/engine.ts';
import type { EngineName } from '../../../shared/kernel/local/engine-names.ts';
import { EngineLost, type Engines } from '../../../shared/kernel/local/local-models.ts';
import type { Link } from '../../../shared/protocol/link.ts';
import type { Clock } from '../../../shared/std/clock.ts';
import { type Deferred, deferred } from '../../../shared/std/deferred.ts';
import { Cannot, LEND_CHANNEL, type Lend } from '../door.ts';
import { LentEngine } from './lent-engine.ts';

type Kind = Lend['engines'];

/** How often a kernel that waits asks again: a page may have been opened meanwhile. */
const ASK_EVERY_MS = 1_000;

/** The browser's own model lives in pages alone; the others run in a Worker that a page lends. */
const kindOf = (name: EngineName): Kind => (name === 'browser' ? 'page' : 'worker');

/**
 * The engines that pages lend to this kernel, which cannot make Workers: at most one of a kind. One dies with its page,
 * and then the others are asked.
 */
export class Lenders implements Engines {
  readonly #clock: Clock;
  readonly #channel = new BroadcastChannel(LEND_CHANNEL);
  readonly #lent = new Map<Kind, LentEngine>();
  readonly #waiting = new Map<Kind, Deferred<LentEngine>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** Takes what a page lends. A second one of its kind takes the place of the first. */
  admit(link: Link, kind: Kind): void {
    const engine: LentEngine = new LentEngine(link, this.#clock, () => {
      if (this.#lent.get(kind) === engine) this.#lent.delete(kind);
    });
    this.#lent.get(kind)?.close('another one is lent');
    this.#lent.set(kind, engine);
    this.#waiting.get(kind)?.resolve(engine);
    this.#waiting.delete(kind);
  }

  async engine(name: EngineName, onWaiting: () => void, signal: AbortSignal): Promise<Engine> {
    const kind = kindOf(name);
    const lent = this.#lent.get(kind);
    if (lent) return lent;
    const waiting = this.#waiting.get(kind) ?? deferred<LentEngine>();
    this.#waiting.set(kind, waiting);
    return this.#wait(kind, waiting.promise, onWaiting, signal);
  }

  drop(engine: Engine): void {
    if (engine instanceof LentEngine) engine.close('no longer wanted');
  }

  async #wait(
    kind: Kind,
    lent: Promise<LentEngine>,
    onWaiting: () => void,
    signal: AbortSignal,
  ): Promise<Engine> {
    const aborted = deferred<never>();
    const onAbort = (): void => aborted.reject(new EngineLost('Stopped'));
    signal.addEventListener('abort', onAbort);
    let cancel = (): void => {};
    const ask = (): void => {
      this.#channel.postMessage({ type: 'wanted', engines: kind });
      cancel = this.#clock.after(ASK_EVERY_MS, () => {
        onWaiting();
        ask();
      });
    };
    ask();
    try {
      return await Promise.race([lent, aborted.promise]);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  #hear(message: unknown): void {
    if (!Value.Check(Cannot, message)) return;
    this.#waiting.get(message.engines)?.reject(new Error(message.reason));
    this.#waiting.delete(message.engines);
  }
}
