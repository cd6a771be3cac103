import type { webcrypto } from 'node:crypto';

/** Names that a browser gives the parts of `crypto.subtle`, and Node to its own module alone. */
declare global {
  type CryptoKey = webcrypto.CryptoKey;
  type HkdfParams = webcrypto.HkdfParams & { name: 'HKDF'; hash: 'SHA-256' };
  type AesGcmParams = webcrypto.AesGcmParams & { name: 'AES-GCM' };
}
