import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { PasswordCost } from '../auth/passwords.ts';
import type { BlobStore } from './blob-store.ts';
import type { Copies } from './copies.ts';
import type { DiskLock } from './disk-lock.ts';
import type { DocStore } from './doc-store.ts';
import type { ModelStore } from './model-store.ts';
import type { Models } from './models.ts';
import type { RoomDialer } from './room-dialer.ts';
import type { SkillSource } from './skill-source.ts';
import type { Vault } from './vault.ts';

/** What a host gives its kernel. */
export type KernelPorts = {
  docs: DocStore;
  blobs: BlobStore;
  vault: Vault;
  models: Models;
  /** Left out by a host that runs no models itself. */
  modelStore?: ModelStore;
  /** Left out by a host that makes none. */
  copies?: Copies;
  /** Left out by a host that cannot lock what it stores. */
  diskLock?: DiskLock;
  dialer: RoomDialer;
  skills: SkillSource;
  clock: Clock;
  random: Random;
  /** What a guess at a password costs. Left out where people's passwords are kept: 32 MiB. */
  passwordCost?: PasswordCost;
  /** For people: "Chrome on Linux". */
  platform: string;
  /** Removes everything that this host stores. The kernel is of no use after it, and the host ends it. */
  erase(): Promise<void>;
};
