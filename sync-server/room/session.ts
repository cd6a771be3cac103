/** What a driver may say that it implements: the capabilities of the group `drivers` (FACTS, "Handshake and wire"). */
export const DRIVER_CAPABILITIES = ['fs.*', 'shell.*'];

/** A replica. `tokenId` is null while it stands on an admission alone. */
export type KernelSession = { kind: 'kernel'; replicaId: string; uid: 0; tokenId: string | null };
export type DriverSession = {
  kind: 'driver';
  uid: number;
  tokenId: string;
  deviceId: string;
  implements: string[];
};

/** Who is at the other end of an authenticated connection. */
export type Session = KernelSession | DriverSession | { kind: 'user'; uid: number; tokenId: string };
