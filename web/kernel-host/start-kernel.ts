import { bootKernel, type Kernel } from '../../shared/kernel/kernel.ts';
import { PiModels } from './models/pi-models.ts';
import { RelayFetch } from './models/relay-fetch.ts';
import { describePlatform, systemClock, systemRandom } from './platform.ts';
import { shippedSkills } from './skills.ts';
import { SocketDialer } from './socket-dialer.ts';
import { openBackedUp } from './storage/backup.ts';
import { openDatabase } from './storage/database.ts';
import { DexieBlobs } from './storage/dexie-blobs.ts';
import { DexieDocs } from './storage/dexie-docs.ts';
import { SealedVault } from './storage/sealed-vault.ts';

/** Boots the kernel on this browser's storage; `erased` is called when nothing is left of that. Rejects when it cannot be opened. */
export async function startKernel(erased: () => void): Promise<Kernel> {
  const { origin } = globalThis.location;
  const database = await openBackedUp(openDatabase(), systemClock.now());
  const dialer = new SocketDialer(origin);
  const relay = new RelayFetch({
    fetch: globalThis.fetch.bind(globalThis),
    origin,
    token: () => dialer.token,
  });
  // The providers' libraries offer no other way in: every request of this worker passes the relay's rule.
  globalThis.fetch = relay.fetch;
  return bootKernel({
    docs: new DexieDocs(database, systemClock),
    blobs: new DexieBlobs(database),
    vault: new SealedVault(database),
    models: new PiModels(relay),
    dialer,
    skills: shippedSkills(origin),
    clock: systemClock,
    random: systemRandom,
    platform: describePlatform(navigator.userAgent),
    erase: async () => {
      await database.delete();
      erased();
    },
  });
}
