import type { Clock } from '../../../shared/std/clock.ts';
import { type Deferred, deferred } from '../../../shared/std/deferred.ts';
import type { Timeline } from './timeline.ts';

/** A new one each time: whoever waits for it is held by it. */
const never = (): Promise<never> => new Promise(() => {});

/** How far a node's clock is off, in milliseconds; it outlives its programs. */
export type Skew = { ms: number };

/**
 * One program from its start to its kill. Everything it asks of the world goes through `guard`: once it is over it does
 * nothing and hears nothing, while it is frozen it hears nothing. Each thing it waits for has a moment before and one
 * after the effect; a fuse ends (or freezes) it at one of them.
 */
export class Life {
  readonly #timeline: Timeline;
  readonly #skew: Skew;
  readonly #ended: (() => void)[] = [];
  #state: 'running' | 'frozen' | 'over' = 'running';
  #held: (() => void)[] = [];
  #thawed: Deferred<void> | null = null;
  #fuse: { left: number; burn: () => void } | null = null;

  constructor(timeline: Timeline, skew: Skew) {
    this.#timeline = timeline;
    this.#skew = skew;
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  get frozen(): boolean {
    return this.#state === 'frozen';
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  onEnd(run: () => void): void {
    this.#ended.push(run);
  }

  end(): void {
    if (this.over) return;
    this.#state = 'over';
    this.#held = [];
    for (const run of this.#ended) run();
  }

  freeze(): void {
    if (this.#state !== 'running') return;
    this.#state = 'frozen';
    this.#thawed = deferred();
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    this.#thawed?.resolve();
    const held = this.#held;
    this.#held = [];
    for (const run of held) this.run(run);
  }

  /** Burns down at the n-th moment from now. */
  light(moments: number, burn: () => void): void {
    this.#fuse = { left: moments, burn };
  }

  /** One more moment at which this program could be killed. */
  pass(): void {
    const fuse = this.#fuse;
    if (!fuse || !this.running) return;
    fuse.left -= 1;
    if (fuse.left > 0) return;
    this.#fuse = null;
    fuse.burn();
  }

  /** Runs now, when it thaws, or never. */
  run(step: () => void): void {
    if (this.running) step();
    else if (this.frozen) this.#held.push(step);
  }

  clock(): Clock {
    return {
      now: () => this.#timeline.now + this.#skew.ms,
      after: (ms, run) => this.#timeline.after(ms, () => this.run(run)),
    };
  }

  /** A port as this program sees it. */
  guard<Port extends object>(port: Port): Port {
    const methods = new Map<PropertyKey, unknown>();
    return new Proxy(port, {
      get: (target, name) => {
        const known = methods.get(name);
        if (known) return known;
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        const guarded = (...args: unknown[]): unknown =>
          this.#ask(() => method.apply(target, this.#heard(args)));
        methods.set(name, guarded);
        return guarded;
      },
    });
  }

  #ask(ask: () => unknown): unknown {
    if (this.over) return never();
    const result = ask();
    return result instanceof Promise ? this.#answered(result) : result;
  }

  /** The effect took place, and a program that ends at this moment never hears of it. */
  async #answered(result: Promise<unknown>): Promise<unknown> {
    this.pass();
    const settled = await result.then(
      (value) => () => value,
      (thrown: unknown) => () => {
        throw thrown;
      },
    );
    this.pass();
    while (this.frozen) await this.#thawed?.promise;
    return this.over ? never() : settled();
  }

  #heard(args: unknown[]): unknown[] {
    return args.map((arg) =>
      typeof arg === 'function'
        ? (...given: unknown[]): unknown => (this.running ? arg(...given) : undefined)
        : arg,
    );
  }
}
