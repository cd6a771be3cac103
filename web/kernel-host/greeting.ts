import type { PortLike } from '../../shared/protocol/port-link.ts';
import { matches } from '../../shared/std/matches.ts';
import { type Hello, type Lend, Refusal, Welcome } from './door.ts';
import { Outdated } from './kernel-turn.ts';
import { Locked } from './locked.ts';

const HELLO_EVERY_MS = 300;

/**
 * Says hello until the kernel answers; on a bus (`repeat`) a leader's worker may not be listening yet. Resolves with the
 * kernel's lock. Rejects with the kernel's reason, or when the signal aborts.
 */
export function sayHello(
  port: PortLike,
  hello: Hello | Lend,
  repeat: boolean,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const say = (): void => port.postMessage(hello);
    const timer = repeat ? setInterval(say, HELLO_EVERY_MS) : undefined;
    const onAbort = (): void => {
      finish();
      reject(new Error('The kernel does not answer'));
    };
    const finish = (): void => {
      clearInterval(timer);
      // The time for a hello may run out later; by then the port belongs to the link.
      signal.removeEventListener('abort', onAbort);
      port.onmessage = null;
    };
    port.onmessage = ({ data }) => {
      if (matches(Welcome, data)) {
        finish();
        resolve(data.lock);
      } else if (matches(Refusal, data)) {
        finish();
        reject(refused(data));
      }
    };
    signal.addEventListener('abort', onAbort);
    say();
  });
}

function refused({ reason, outdated, locked }: Refusal): Error {
  if (outdated === true) return new Outdated();
  return locked === true ? new Locked(reason) : new Error(reason);
}

/** Resolves when the lock is held, to the function that releases it. */
export function holdLock(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => new Promise<void>((release) => resolve(release)));
  });
}
