import { BusPort } from '../kernel-host/bus-port.ts';
import { BUS, KERNEL_ADDRESS } from '../kernel-host/door.ts';
import { allowBlobWorkers } from './blob-workers.ts';
import { lendEngines } from './serve-engine.ts';

/**
 * Entry of the Worker that a page lends its kernel: it runs one language model. The page's first message brings the
 * way to the kernel; the worker tells the page, by any message, when it is of no more use.
 */
allowBlobWorkers();

self.onmessage = ({ data }: MessageEvent<{ name: string; port: MessagePort | null }>) => {
  const port = data.port ?? new BusPort(new BroadcastChannel(BUS), data.name, KERNEL_ADDRESS);
  const makers = {
    wllama: async () => (await import('./wllama-engine.ts')).WllamaEngine.make(),
    webllm: async () => (await import('./webllm-engine.ts')).WebllmEngine.make(),
  };
  void lendEngines(port, data.name, 'worker', makers)
    .catch((thrown) => reportError(thrown))
    .finally(() => self.postMessage('over'));
};
