import type { KernelPorts } from '../ports/kernel-ports.ts';
import { Recovery } from '../seal/recovery.ts';
import { repairLog } from '../seal/repair-log.ts';
import { Start } from '../seal/start.ts';
import { TellSecrets } from '../seal/tell-secrets.ts';
import { Epochs } from '../sync/epochs.ts';
import { Resealer } from '../sync/resealer.ts';
import { inSetupMode } from '../sys/setup.ts';
import type { LocalState } from './local-state.ts';
import type { RoomSide } from './room-side.ts';

/** The keys of a sealed GSV, and what is done with them. */
export type SealSide = ReturnType<typeof sealSide>;

/** Nothing is done before `start`. `during`: what one replica at a time may do. */
export function sealSide(
  { clock, random }: KernelPorts,
  state: LocalState,
  { room }: RoomSide,
  during: (work: () => Promise<void>) => Promise<boolean>,
) {
  const {
    tables,
    keys,
    vault,
    replica,
    replication,
    documents,
    blobs,
    fs,
    flush,
    lock,
    sealedLogs,
    secrets,
  } = state;
  const recovery = new Recovery({ tables, keys, vault, secrets, clock, random, flush });
  const resealer = new Resealer({
    tables,
    keys,
    documents,
    replication,
    blobs,
    self: replica.id,
    clearRoom: async () => void (await room.call('doc.clear', {})),
    contents: () => [...fs.blobs.referred()].length,
    clock,
    during,
    flush,
  });
  const epochs = new Epochs({
    tables,
    keys,
    vault,
    random,
    clock,
    self: replica.id,
    room: replication,
    during,
    founded: () => !inSetupMode(tables) && !lock.locked,
    sendAgain: async () => replication.outbox.begin(await documents.replicated()),
    flush,
  });
  room.onChange(() => {
    epochs.look();
    resealer.look();
  });
  const start = new Start({
    tables,
    keys,
    random,
    clock,
    self: replica.id,
    documents,
    replication,
    during,
    flush,
  });
  const telling = new TellSecrets({ tables, keys, secrets, self: replica.id, replication });
  const parts = [epochs, recovery, resealer, telling];
  return {
    sealing: start,
    recovery,
    epochs,
    resealer,
    repairLog: (name: string) => repairLog({ sealing: sealedLogs, documents, replication }, name),
    start: () => {
      for (const part of parts) part.start();
    },
    stop: () => {
      for (const part of parts) part.stop();
    },
  };
}
