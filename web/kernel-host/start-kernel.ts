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
import { openBackedUp, removeBackups } from './storage/backup.ts';
import { openDatabase } from './storage/database.ts';
import { DexieBlobs } from './storage/dexie-blobs.ts';
import { DexieCopies } from './storage/dexie-copies.ts';
import { DexieDocs } from './storage/dexie-docs.ts';
import { DISK_KEY, DiskKeeper } from './storage/disk-keeper.ts';
import { Reserve } from './storage/reserve.ts';
import { sealRest } from './storage/seal-rest.ts';
import { SealedVault } from './storage/sealed-vault.ts';

/** What has to be read before the key of the disk is there. */
const KEPT_BY_BROWSER: ReadonlySet<string> = new Set([DISK_KEY]);

/** Boots the kernel on this browser's storage; `erased` is called when nothing is left of that. Rejects when it cannot be opened. */
export async function startKernel(erased: () => void, lenders: Lenders): Promise<Kernel> {
  const { origin } = globalThis.location;
  const database = await openBackedUp(openDatabase(), systemClock.now());
  const key = await (await DiskKeeper.load(new SealedVault(database), systemRandom)).key();
  const reserve = new Reserve(database, systemRandom, systemClock);
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
    docs: new DexieDocs(database, systemClock, key, reserve),
    blobs: new DexieBlobs(database, key),
    vault: new SealedVault(database, key),
    models: new RoutedModels(new LocalModels(lenders, withOwnModel(shelf)), new PiModels(relay)),
    modelStore: shelf,
    copies: new DexieCopies(database.name, systemClock, key),
    dialer,
    skills: shippedSkills(origin),
    clock: systemClock,
    random: systemRandom,
    platform: describePlatform(navigator.userAgent),
    erase: async () => {
      await database.delete();
      await removeBackups(database.name);
      erased();
    },
  });
  reserve.keep();
  // On a full disk it goes on at the next start.
  void sealRest(database, key, KEPT_BY_BROWSER, systemClock).catch(() => {});
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
