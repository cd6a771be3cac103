/** Randomness, injected. Never throws. */
export interface Random {
  /** Cryptographically strong bytes. */
  bytes(length: number): Uint8Array<ArrayBuffer>;
  /** A version 4 UUID. */
  uuid(): string;
}
