/**
 * Secrets of this host: sealed at rest with a key that cannot be extracted, never replicated, never listed.
 * Methods may be slow and may reject when storage fails.
 */
export interface Vault {
  get(name: string): Promise<string | undefined>;
  put(name: string, secret: string): Promise<void>;
  delete(name: string): Promise<void>;
}
