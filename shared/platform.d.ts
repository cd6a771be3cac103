/**
 * The globals that every host of the kernel has (browser worker, workerd, Node 20), and no others.
 * Only this program's tsconfig reads this file; each host's own library types replace it there.
 */
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
interface ReadableStreamDefaultController<T> {
  enqueue(chunk: T): void;
  close(): void;
  error(reason: unknown): void;
  readonly desiredSize: number | null;
}
interface ReadableStreamDefaultReader<T> {
  read(): Promise<{ done: false; value: T } | { done: true; value?: undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}
declare class ReadableStream<T> {
  constructor(
    source?: {
      start?(controller: ReadableStreamDefaultController<T>): void | Promise<void>;
      pull?(controller: ReadableStreamDefaultController<T>): void | Promise<void>;
      cancel?(reason: unknown): void | Promise<void>;
    },
    strategy?: { highWaterMark?: number; size?(chunk: T): number },
  );
  readonly locked: boolean;
  getReader(): ReadableStreamDefaultReader<T>;
  cancel(reason?: unknown): Promise<void>;
}
interface CryptoKey {
  readonly extractable: boolean;
}
type HkdfParams = { name: 'HKDF'; hash: 'SHA-256'; salt: Uint8Array; info: Uint8Array };
type AesGcmParams = { name: 'AES-GCM'; iv: Uint8Array; additionalData: Uint8Array };
interface SubtleCrypto {
  digest(algorithm: 'SHA-256', bytes: Uint8Array): Promise<ArrayBuffer>;
  importKey(
    format: 'raw',
    bytes: Uint8Array,
    algorithm: 'HKDF',
    extractable: false,
    usages: ('deriveKey' | 'deriveBits')[],
  ): Promise<CryptoKey>;
  deriveBits(params: HkdfParams, key: CryptoKey, bits: number): Promise<ArrayBuffer>;
  deriveKey(
    params: HkdfParams,
    key: CryptoKey,
    derived: { name: 'AES-GCM'; length: 256 },
    extractable: false,
    usages: ('encrypt' | 'decrypt')[],
  ): Promise<CryptoKey>;
  encrypt(params: AesGcmParams, key: CryptoKey, bytes: Uint8Array): Promise<ArrayBuffer>;
  decrypt(params: AesGcmParams, key: CryptoKey, bytes: Uint8Array): Promise<ArrayBuffer>;
}
declare const crypto: { readonly subtle: SubtleCrypto };
declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(run: () => void): void;
declare function btoa(binary: string): string;
declare function atob(base64: string): string;
declare class CompressionStream {
  constructor(format: 'gzip');
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: { getWriter(): { write(chunk: Uint8Array): Promise<void>; close(): Promise<void> } };
}
declare class DecompressionStream {
  constructor(format: 'gzip');
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: { getWriter(): { write(chunk: Uint8Array): Promise<void>; close(): Promise<void> } };
}
