import { matches } from '../../shared/std/matches.ts';
import { LEND_CHANNEL, type Lend, Wanted } from '../kernel-host/door.ts';
import modelWorkerUrl from '../model-worker/model-worker.ts?worker&url';
import { trustedScriptUrl } from '../ui/trusted.ts';
import type { KernelHost } from './kernel-host.ts';

/** A page that is looked at lends before one in the background, whose timers browsers slow down. */
const HIDDEN_WAITS_MS = 300;

/** Lends what the kernel asks for, for as long as this page lives; of all pages, one lends at a time. */
export function lendToKernel(host: KernelHost): void {
  const channel = new BroadcastChannel(LEND_CHANNEL);
  channel.onmessage = ({ data }) => {
    if (!matches(Wanted, data)) return;
    if (document.visibilityState === 'visible') void offer(channel, host, data.engines);
    else setTimeout(() => void offer(channel, host, data.engines), HIDDEN_WAITS_MS);
  };
}

async function offer(channel: BroadcastChannel, host: KernelHost, engines: Lend['engines']): Promise<void> {
  await navigator.locks.request(`gsv-lending-${engines}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    try {
      await (engines === 'worker' ? lendWorker(host) : lendThisPage(host));
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : 'No engine can be lent';
      channel.postMessage({ type: 'cannot', engines, reason });
    }
  });
}

/** Resolves when the kernel has no more use for it. Rejects when the worker cannot start. */
function lendWorker(host: KernelHost): Promise<void> {
  const worker = new Worker(trustedScriptUrl(modelWorkerUrl), { type: 'module', name: 'gsv-model' });
  return new Promise<void>((resolve, reject) => {
    worker.onmessage = () => resolve();
    worker.onerror = (event) => {
      event.preventDefault();
      reject(
        new Error('The engine for models could not be started: the server that has it cannot be reached.'),
      );
    };
    host.portFor(worker, crypto.randomUUID());
  }).finally(() => worker.terminate());
}

/** As `lendWorker`, for what only pages have. */
async function lendThisPage(host: KernelHost): Promise<void> {
  const { lendPage } = await import('../model-worker/lend-page.ts');
  const name = crypto.randomUUID();
  await lendPage(host.connect(name), name);
}
