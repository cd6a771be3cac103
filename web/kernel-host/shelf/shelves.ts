import type { CatalogueModel } from '../../../shared/kernel/local/catalogue.ts';
import type { EngineName } from '../../../shared/kernel/local/engine-names.ts';
import type { WebllmPlace } from '../../../shared/kernel/local/hub.ts';
import type { Shelf, ShelvedModel } from '../../../shared/kernel/local/local-models.ts';
import type { DeviceFacts, ModelStore, StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import type { ModelInfo } from '../../../shared/kernel/ports/models.ts';
import type { ByteStream } from '../../../shared/protocol/streams.ts';
import type { ModelShelf } from './model-shelf.ts';
import type { WebllmShelf } from './webllm-shelf.ts';

/** The GGUF files and WebLLM's models as one store. */
export class Shelves implements ModelStore, Shelf {
  readonly #gguf: ModelShelf;
  readonly #webllm: WebllmShelf;

  constructor(gguf: ModelShelf, webllm: WebllmShelf) {
    this.#gguf = gguf;
    this.#webllm = webllm;
  }

  device(): Promise<DeviceFacts> {
    return this.#gguf.device();
  }

  onChange(listener: () => void): void {
    this.#gguf.onChange(listener);
  }

  list(): Promise<StoredModel[]>;
  list(engine: EngineName): Promise<ModelInfo[]>;
  async list(engine?: EngineName): Promise<StoredModel[] | ModelInfo[]> {
    if (engine === 'wllama') return this.#gguf.list(engine);
    const models = await this.#webllm.list();
    if (engine === undefined) return [...(await this.#gguf.list()), ...models];
    return models
      .filter(({ state }) => state === 'ready')
      .map(({ id, name, contextWindow }) => ({ id, name, contextWindow }));
  }

  find(engine: EngineName, id: string): Promise<ShelvedModel | undefined> {
    return engine === 'webllm' ? this.#webllm.find(id) : this.#gguf.find(engine, id);
  }

  measured(engine: EngineName, id: string, tokensPerSecond: number): void {
    if (engine === 'webllm') void this.#webllm.measured(id, tokensPerSecond).catch(() => {});
    else this.#gguf.measured(engine, id, tokensPerSecond);
  }

  download(model: CatalogueModel, mirror: string): Promise<void> {
    return model.engine === 'webllm'
      ? this.#webllm.download(model, mirror)
      : this.#gguf.download(model, mirror);
  }

  add(source: { address: string; sha256: string; callsTools: boolean }, mirror: string): Promise<string> {
    return this.#gguf.add(source, mirror);
  }

  addCompiled(place: WebllmPlace, callsTools: boolean, mirror: string): Promise<string> {
    return this.#webllm.add(place, callsTools, mirror);
  }

  importFile(name: string, bytes: ByteStream): Promise<string> {
    return this.#gguf.importFile(name, bytes);
  }

  async resume(id: string): Promise<void> {
    return (await this.#webllm.has(id)) ? this.#webllm.resume(id) : this.#gguf.resume(id);
  }

  async pause(id: string): Promise<void> {
    return (await this.#webllm.has(id)) ? this.#webllm.pause(id) : this.#gguf.pause(id);
  }

  async remove(id: string): Promise<void> {
    return (await this.#webllm.has(id)) ? this.#webllm.remove(id) : this.#gguf.remove(id);
  }
}
