import type { Link } from '../../shared/protocol/link.ts';
import type { Clock } from '../../shared/std/clock.ts';
import { deferred } from '../../shared/std/deferred.ts';
import { EndingClock } from '../../shared/std/ending-clock.ts';

/** What comes of a call to the dead. */
export const never = new Promise<never>(() => {});

/** The time that a killed program had. `endAt` ends it at the n-th moment before or after something it waits for. */
export class Life {
  readonly #over = deferred<void>();
  #endAt: number;
  #alive = true;
  #moments = 0;

  constructor(endAt = Number.POSITIVE_INFINITY) {
    this.#endAt = endAt;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get moments(): number {
    return this.#moments;
  }

  /** Resolves at its end. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  end(): void {
    this.#alive = false;
    this.#over.resolve();
  }

  /** It ends so many moments from now. */
  endIn(moments: number): void {
    this.#endAt = this.#moments + moments;
  }

  /** One more moment at which the program could be killed. */
  pass(): void {
    if (this.#alive && this.#moments === this.#endAt) this.end();
    this.#moments += 1;
  }
}

/** A port that does nothing and never answers once its program's life is over. */
export function mortal<Port extends object>(port: Port, life: Life): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => whileAlive(life, () => method.apply(target, guarded(args, life)));
    },
  });
}

/** A clock whose timers end with the program's life. */
export function mortalClock(clock: Clock, life: Life): Clock {
  const own = new EndingClock(clock);
  void life.over.then(() => own.end());
  return {
    now: () => own.now(),
    after: (ms, run) => own.after(ms, () => (life.alive ? run() : undefined)),
  };
}

/** A link that says nothing more after its program's life. */
export function muteLink(link: Link, life: Life): Link {
  return {
    inlineBytes: link.inlineBytes,
    listen: (events) => link.listen(events),
    close: (code, reason) => (life.alive ? link.close(code, reason) : undefined),
    send: (message) => (life.alive ? link.send(message) : undefined),
  };
}

/** As `muteLink`; each frame that it sends is a moment of its program's life, too. */
export function mortalLink(link: Link, life: Life): Link {
  const mute = muteLink(link, life);
  return {
    ...mute,
    send: (message) => {
      mute.send(message);
      if (life.alive) life.pass();
    },
  };
}

/** Callbacks (a timer's, a model's deltas) reach nobody after the end. */
function guarded(args: unknown[], life: Life): unknown[] {
  return args.map((arg) =>
    typeof arg === 'function' ? (...given: unknown[]) => (life.alive ? arg(...given) : undefined) : arg,
  );
}

function whileAlive(life: Life, call: () => unknown): unknown {
  if (!life.alive) return never;
  const result = call();
  return result instanceof Promise ? answered(life, result) : result;
}

/** Counts a moment after the answer, too: the effect took place, and the program never heard of it. */
async function answered(life: Life, result: Promise<unknown>): Promise<unknown> {
  try {
    const value = await result;
    life.pass();
    return life.alive ? value : await never;
  } catch (thrown) {
    life.pass();
    if (life.alive) throw thrown;
    return never;
  }
}
