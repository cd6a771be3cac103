import type { Clock } from '../../shared/std/clock.ts';
import { deferred } from '../../shared/std/deferred.ts';
import type { BackOff } from './back-off.ts';
import type { Refusal } from './refusal.ts';

/** One connection: `ended` resolves with the reason when it is over. */
export type Line = { ended: Promise<string>; hangUp(reason: string): void };

export type StayEvents = {
  connected(): void;
  disconnected(reason: string): void;
  /** Not called again for the same message before a connection stood. */
  refused(message: string): void;
};

type Attempt = { kind: 'line'; line: Line } | { kind: 'refused'; refusal: Refusal };

const STOPPED = Symbol('stopped');
const GOODBYE = 'the driver was stopped';

/** Connects, and connects again, until `signal` aborts; then hangs up. Never rejects. */
export async function stayConnected(
  connect: () => Promise<Line>,
  explain: (thrown: unknown) => Refusal,
  events: StayEvents,
  backOff: BackOff,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let lastSaid = '';
  const refused = ({ message, patience }: Refusal): number => {
    if (message !== lastSaid) events.refused(message);
    lastSaid = message;
    return patience === 'long' ? backOff.longPause() : backOff.pause();
  };
  const stay = async (line: Line): Promise<number> => {
    lastSaid = '';
    const since = clock.now();
    events.connected();
    events.disconnected(await untilEnded(line, signal));
    return backOff.pause(clock.now() - since);
  };
  while (!signal.aborted) {
    const attempt = tryOnce(connect, explain);
    const outcome = await orStopped(signal, attempt);
    if (outcome === STOPPED) return hangUpLater(attempt);
    await pause(outcome.kind === 'line' ? await stay(outcome.line) : refused(outcome.refusal), clock, signal);
  }
}

async function tryOnce(
  connect: () => Promise<Line>,
  explain: (thrown: unknown) => Refusal,
): Promise<Attempt> {
  try {
    return { kind: 'line', line: await connect() };
  } catch (thrown) {
    return { kind: 'refused', refusal: explain(thrown) };
  }
}

function hangUpLater(attempt: Promise<Attempt>): void {
  void attempt.then((outcome) => outcome.kind === 'line' && outcome.line.hangUp(GOODBYE));
}

async function untilEnded(line: Line, signal: AbortSignal): Promise<string> {
  const reason = await orStopped(signal, line.ended);
  if (reason !== STOPPED) return reason;
  line.hangUp(GOODBYE);
  return line.ended;
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const over = deferred<void>();
  const cancel = clock.after(ms, over.resolve);
  await orStopped(signal, over.promise);
  cancel();
}

/** What comes first: the value, or the end of it all. Leaves no listener behind. */
async function orStopped<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value | typeof STOPPED> {
  const stopped = deferred<typeof STOPPED>();
  const stop = (): void => stopped.resolve(STOPPED);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const first = await Promise.race([value, stopped.promise]);
  signal.removeEventListener('abort', stop);
  return first;
}
