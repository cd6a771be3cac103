/** What a driver may say that it implements: the capabilities of the group `drivers` (FACTS, "Handshake and wire"). */
export const DRIVER_CAPABILITIES = ['fs.*', 'shell.*'];

/** Who is at the other end of an authenticated connection. `tokenId` is null only while a room is being claimed. */
export type Session =
  | { kind: 'kernel'; replicaId: string; uid: 0; tokenId: string | null }
  | { kind: 'driver'; uid: number; tokenId: string; deviceId: string; implements: string[] }
  | { kind: 'user'; uid: number; tokenId: string };
