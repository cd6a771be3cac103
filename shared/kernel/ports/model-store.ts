import type { ByteStream } from '../../protocol/streams.ts';
import type { CatalogueModel } from '../local/catalogue.ts';
import type { EngineName } from '../local/engine-names.ts';
import type { WebllmPlace } from '../local/hub.ts';

/** What this device can run, found out before anything is downloaded. */
export type DeviceFacts = {
  /** WebGPU; null where there is none. */
  gpu: { name: string; shaderF16: boolean } | null;
  /** Gigabytes, as the browser says it (rounded, at most 8 or 32); null where it does not. */
  memoryGb: number | null;
  /** Bytes that may still be stored here; null where it is not known. */
  freeBytes: number | null;
  /** Whether the processor can run GGUF files here. */
  wasm: boolean;
};

export type StoredState = 'downloading' | 'paused' | 'ready' | 'failed';

/** A model that lies on this device, whole or in part. */
export type StoredModel = {
  id: string;
  name: string;
  engine: EngineName;
  /** Where it came from; empty for an imported file. */
  address: string;
  /** Of the whole file; 0 before it is known. */
  bytes: number;
  storedBytes: number;
  state: StoredState;
  /** Why it failed, or waits. */
  problem: string;
  /** Lower-case hexadecimal; empty until the file is whole. */
  sha256: string;
  /** Whether somebody published the hash that it was checked against. */
  checked: boolean;
  /** Tokens. */
  contextWindow: number;
  callsTools: boolean;
  /** Measured here; 0 before the first answer. */
  tokensPerSecond: number;
};

/** Files of models on this device. Downloads go on when the host is started again. */
export interface ModelStore {
  device(): Promise<DeviceFacts>;
  list(): Promise<StoredModel[]>;
  /** Begins, or goes on with, a download; resolves when it has begun. Rejects with a sentence for a person. */
  download(model: CatalogueModel, mirror: string): Promise<void>;
  /** As `download`, of any GGUF address. Resolves to its id. */
  add(source: { address: string; sha256: string; callsTools: boolean }, mirror: string): Promise<string>;
  /** As `add`, of a model that was compiled for WebLLM. */
  addCompiled(place: WebllmPlace, callsTools: boolean, mirror: string): Promise<string>;
  resume(id: string): Promise<void>;
  pause(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Stores a GGUF file. Resolves to its id when it is whole. */
  importFile(name: string, bytes: ByteStream): Promise<string>;
  /** Called whenever `list` would answer otherwise, at most a few times a second. */
  onChange(listener: () => void): void;
}
