import { Value } from 'typebox/value';
import type { PortLike } from '../../shared/protocol/port-link.ts';
import { BusPort } from '../kernel-host/bus-port.ts';
import { BUS, KERNEL_ADDRESS, LEADER_LOCK, Refusal, Welcome } from '../kernel-host/door.ts';
import { Outdated } from '../kernel-host/kernel-turn.ts';
import kernelWorkerUrl from '../kernel-host/kernel-worker.ts?worker&url';
import { trustedScriptUrl } from '../ui/trusted.ts';

/** A way to a kernel host. `connect` may be called again after a loss. */
export type KernelHost = { connect(tab: string): PortLike };

/** Set in localStorage to run the kernel in a leading tab although the browser has SharedWorker (tests, trouble). */
const FORCE_LEADER = 'gsv.kernel-host';

export function chooseKernelHost(): KernelHost {
  const forced = localStorage.getItem(FORCE_LEADER) === 'leader';
  return 'SharedWorker' in globalThis && !forced ? sharedWorkerHost() : leaderHost();
}

function sharedWorkerHost(): KernelHost {
  return {
    connect: () => {
      const worker = new SharedWorker(trustedScriptUrl(kernelWorkerUrl), { type: 'module', name: 'gsv' });
      return worker.port;
    },
  };
}

/** The tab that gets the leader lock runs the kernel in a Worker until it closes; then the next one does. */
function leaderHost(): KernelHost {
  void navigator.locks.request(LEADER_LOCK, () => {
    new Worker(trustedScriptUrl(kernelWorkerUrl), { type: 'module', name: 'gsv' });
    return new Promise<void>(() => {});
  });
  const channel = new BroadcastChannel(BUS);
  return { connect: (tab) => new BusPort(channel, tab, KERNEL_ADDRESS) };
}

const HELLO_EVERY_MS = 300;

/**
 * Says hello until the kernel answers; a leader's worker may not be listening yet. Resolves with the kernel's lock.
 * Rejects with the kernel's reason, or when the signal aborts.
 */
export function sayHello(port: PortLike, tab: string, lock: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const hello = (): void => port.postMessage({ type: 'hello', tab, lock });
    const repeat = port instanceof BusPort ? setInterval(hello, HELLO_EVERY_MS) : undefined;
    const onAbort = (): void => {
      finish();
      reject(new Error('The kernel does not answer'));
    };
    const finish = (): void => {
      clearInterval(repeat);
      // The time for a hello may run out later; by then the port belongs to the link.
      signal.removeEventListener('abort', onAbort);
      port.onmessage = null;
    };
    port.onmessage = ({ data }) => {
      if (Value.Check(Welcome, data)) {
        finish();
        resolve(data.lock);
      } else if (Value.Check(Refusal, data)) {
        finish();
        reject(data.outdated === true ? new Outdated() : new Error(data.reason));
      }
    };
    signal.addEventListener('abort', onAbort);
    hello();
  });
}
