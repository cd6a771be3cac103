import { systemClock } from '../../web/kernel-host/platform.ts';
import { ModelShelf } from '../../web/kernel-host/shelf/model-shelf.ts';
import { Shelves } from '../../web/kernel-host/shelf/shelves.ts';
import { WebllmShelf } from '../../web/kernel-host/shelf/webllm-shelf.ts';
import { MemoryCaches } from './memory-caches.ts';
import { MemoryModelDisk } from './memory-model-disk.ts';

/** The real store of models on disks in memory; files come from wherever they lie. */
export function modelShelves(ask: typeof fetch = fetch): Shelves {
  const common = {
    fetch: ask,
    device: async () => ({ gpu: null, memoryGb: 8, freeBytes: 10e9, wasm: true }),
  };
  const gguf = new ModelShelf({ ...common, disk: new MemoryModelDisk(), clock: systemClock });
  const caches = new MemoryCaches().storage;
  const webllm = new WebllmShelf({
    ...common,
    disk: new MemoryModelDisk(),
    caches,
    changed: () => gguf.tell(),
  });
  return new Shelves(gguf, webllm);
}
