import { bootKernel, type Kernel } from '../../shared/kernel/kernel.ts';
import { LocalModels } from '../../shared/kernel/local/local-models.ts';
import { withOwnModel } from '../../shared/kernel/local/own-model.ts';
import { RoutedModels } from '../../shared/kernel/local/routed-models.ts';
import type { Lenders } from './lent/lenders.ts';
import { PiModels } from './models/pi-models.ts';
import { RelayFetch } from './models/relay-fetch.ts';
import { describePlatform, systemClock, systemRandom } from './platform.ts';
import { deviceFacts } from './shelf/device-facts.ts';
import { OriginDisk } from './shelf/model-disk.ts';
import { ModelShelf } from './shelf/model-shelf.ts';
import { Shelves } from './shelf/shelves.ts';
import { WebllmShelf } from './shelf/webllm-shelf.ts';
import { shippedSkills } from './skills.ts';
import { SocketDialer } from './socket-dialer.ts';
import type { Disk } from './storage/disk.ts';

export type KernelEnds = {
  /** Nothing is left of what was stored. */
  erased(): void;
  /**
   * What is stored shall wait for its password, or is another: whoever hears it ends the kernel, and what it knows with it.
   */
  again(): void;
};

/** Boots the kernel on this browser's storage, which is open. Rejects when it cannot be read. */
export async function startKernel(disk: Disk, ends: KernelEnds, lenders: Lenders): Promise<Kernel> {
  const { origin } = globalThis.location;
  const dialer = new SocketDialer(origin);
  const fetchDirectly = globalThis.fetch.bind(globalThis);
  const relay = new RelayFetch({
    fetch: fetchDirectly,
    origin,
    token: () => dialer.token,
    withheld: () => dialer.withheld,
  });
  // The providers' libraries offer no other way in: every request of this worker passes the relay's rule.
  globalThis.fetch = relay.fetch;
  const shelf = modelShelves(fetchDirectly);
  const kernel = await bootKernel({
    ...(await disk.ports(ends.again)),
    diskLock: disk.lockedBy(ends.again),
    models: new RoutedModels(new LocalModels(lenders, withOwnModel(shelf)), new PiModels(relay)),
    modelStore: shelf,
    dialer,
    skills: shippedSkills(origin),
    clock: systemClock,
    random: systemRandom,
    platform: describePlatform(navigator.userAgent),
    erase: async () => {
      await disk.erase();
      ends.erased();
    },
  });
  disk.tend();
  return kernel;
}

/** What is known of WebLLM's models; its files are in its caches. */
const WEBLLM_DIRECTORY = 'webllm';

function modelShelves(fetchDirectly: typeof fetch): Shelves {
  const common = { fetch: fetchDirectly, device: deviceFacts };
  const gguf = new ModelShelf({ ...common, disk: new OriginDisk(), clock: systemClock });
  const webllm = new WebllmShelf({
    ...common,
    disk: new OriginDisk(WEBLLM_DIRECTORY),
    caches: globalThis.caches,
    changed: () => gguf.tell(),
  });
  return new Shelves(gguf, webllm);
}
