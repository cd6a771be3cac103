import type { PortLike } from '../../shared/protocol/port-link.ts';
import { BusPort } from '../kernel-host/bus-port.ts';
import { AGAIN, BUS, KERNEL_ADDRESS, LEADER_LOCK } from '../kernel-host/door.ts';
import kernelWorkerUrl from '../kernel-host/kernel-worker.ts?worker&url';
import { trustedScriptUrl } from '../ui/trusted.ts';

/** A way to a kernel host. `connect` may be called again after a loss. */
export type KernelHost = {
  connect(tab: string): PortLike;
  /** Gives a Worker of this page a way of its own: a port, or null where it finds the kernel on the bus. */
  portFor(worker: Worker, name: string): void;
};

/** Set in localStorage to run the kernel in a leading tab although the browser has SharedWorker (tests, trouble). */
const FORCE_LEADER = 'gsv.kernel-host';

export function chooseKernelHost(): KernelHost {
  const forced = localStorage.getItem(FORCE_LEADER) === 'leader';
  return 'SharedWorker' in globalThis && !forced ? sharedWorkerHost() : leaderHost();
}

function sharedWorkerHost(): KernelHost {
  const connect = (): MessagePort =>
    new SharedWorker(trustedScriptUrl(kernelWorkerUrl), { type: 'module', name: 'gsv' }).port;
  return {
    connect,
    portFor: (worker, name) => {
      const port = connect();
      worker.postMessage({ name, port }, [port]);
    },
  };
}

/** It is started again when it says that it ends for another. */
function startKernelWorker(): void {
  const worker = new Worker(trustedScriptUrl(kernelWorkerUrl), { type: 'module', name: 'gsv' });
  worker.onmessage = ({ data }) => {
    if (data === AGAIN) startKernelWorker();
  };
}

/** The tab that gets the leader lock runs the kernel in a Worker until it closes; then the next one does. */
function leaderHost(): KernelHost {
  void navigator.locks.request(LEADER_LOCK, () => {
    startKernelWorker();
    return new Promise<void>(() => {});
  });
  const channel = new BroadcastChannel(BUS);
  return {
    connect: (tab) => new BusPort(channel, tab, KERNEL_ADDRESS),
    portFor: (worker, name) => worker.postMessage({ name, port: null }),
  };
}
