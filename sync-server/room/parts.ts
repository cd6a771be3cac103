import { SEAL } from '../../shared/state/control.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Random } from '../../shared/std/random.ts';
import { type RoomAnswers, roomAnswers } from './answers.ts';
import { Blobs } from './blobs.ts';
import { Claim } from './claim.ts';
import type { Control } from './control.ts';
import { DeviceCalls } from './device-calls.ts';
import { Documents } from './documents.ts';
import { Drivers } from './drivers.ts';
import { Inbox } from './inbox.ts';
import { Invites } from './invites.ts';
import { Kernels } from './kernels.ts';
import { Leases } from './lease.ts';
import { Lockout } from './lockout.ts';
import { Newcomers } from './newcomers.ts';
import { Presence } from './presence.ts';
import { Push } from './push/push.ts';
import { refusing } from './refusing-storage.ts';
import { Replicas } from './replicas.ts';
import { ShellSessions } from './shell-sessions.ts';
import type { RoomStorage } from './storage.ts';
import { TokenWatch } from './token-watch.ts';

/** What a room is made of. */
export type RoomParts = {
  clock: Clock;
  /** Of this instant: the document may be another one later. */
  control(): Control;
  documents: Documents;
  claim: Claim;
  invites: Invites;
  newcomers: Newcomers;
  replicas: Replicas;
  kernels: Kernels;
  drivers: Drivers;
  presence: Presence;
  lockout: Lockout;
  tokens: TokenWatch;
  leases: Leases;
  devices: DeviceCalls;
  push: Push;
  answers: RoomAnswers;
};

export type RoomPartsOptions = {
  storage: RoomStorage;
  clock: Clock;
  random: Random;
  claimSecret: string;
  /** Asks the web; the host's own. */
  fetch(request: Request): Promise<Response>;
};

/** Reads what was stored and connects the parts. Rejects when the storage cannot be read. */
export async function openParts(options: RoomPartsOptions): Promise<RoomParts> {
  const { clock } = options;
  const storage = refusing(options.storage);
  const changed = { run: (): void => {} };
  const documents = await Documents.load({ storage, clock, onControlChange: () => changed.run() });
  const control = (): Control => documents.control;
  const kernels = new Kernels();
  const replicas = await Replicas.load(storage, clock);
  const leases = await Leases.load({
    storage,
    clock,
    isOnline: (replicaId) => kernels.isOnline(replicaId),
    onLost: (replicaId, lost) => kernels.tell(replicaId, 'lease.lost', lost),
  });
  const push = new Push({ storage, clock, random: options.random, control, fetch: options.fetch });
  push.follow();
  const forget = async (): Promise<void> => {
    await storage.clear();
    replicas.reset();
    leases.reset();
    push.reset();
    await documents.reset();
  };
  const claim = await Claim.load({ storage, secret: options.claimSecret, forget });
  const tokens = new TokenWatch(clock, (tokenId) => control().token(tokenId));
  const newcomers = new Newcomers({
    clock,
    token: (replicaId) => control().replicaToken(replicaId, clock.now()),
    adopted: (tokenId, peer) => tokens.watch(tokenId, peer),
  });
  changed.run = () => {
    tokens.check();
    push.follow();
    void newcomers.settle();
  };
  await noteStoredClaim(claim, control(), clock);
  const presence = await Presence.load(storage, clock);
  const drivers = new Drivers({ control, presence, kernels });
  const sessions = await ShellSessions.load(storage, clock);
  const driver = (deviceId: string) => drivers.peer(deviceId);
  const devices = new DeviceCalls({ control, presence, sessions, clock, driver });
  const inbox = new Inbox({
    storage,
    clock,
    random: options.random,
    tables: () => control().tables,
    tell: () => {
      kernels.tellAll('inbox.changed', {});
      return kernels.any;
    },
  });
  const blobs = new Blobs(storage, clock, () => control().tables.seal.get(SEAL) !== undefined);
  void blobs.sweep();
  return {
    ...{ clock, control, documents, claim, newcomers, replicas, kernels, drivers, presence, tokens },
    ...{ leases, push, devices, lockout: new Lockout(clock), invites: await Invites.load(storage) },
    answers: roomAnswers({ control, documents, blobs, leases, presence, devices, inbox }),
  };
}

/** The room stopped after it had stored the claimant's token and before it noted that it is claimed. */
async function noteStoredClaim(claim: Claim, control: Control, clock: Clock): Promise<void> {
  if (claim.claimed || claim.claimant === null) return;
  if (control.replicaToken(claim.claimant, clock.now())) await claim.complete();
}
