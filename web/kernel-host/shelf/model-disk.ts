/** Where the files of models lie: a directory for each model, with pieces of its file and what is known of it. */
export interface ModelDisk {
  /** The models there are. */
  directories(): Promise<string[]>;
  /** Undefined when there is no such file. */
  read(directory: string, name: string): Promise<Blob | undefined>;
  /** The file is there whole, or as it was before. */
  write(directory: string, name: string, contents: Blob | Uint8Array): Promise<void>;
  remove(directory: string): Promise<void>;
}

/** Below the origin's private file system, where lent engines find it too. */
export const MODELS_DIRECTORY = 'models';

export class OriginDisk implements ModelDisk {
  readonly #below: string;

  constructor(below = MODELS_DIRECTORY) {
    this.#below = below;
  }

  async directories(): Promise<string[]> {
    const names: string[] = [];
    for await (const [name, handle] of (await this.#root()).entries())
      if (handle.kind === 'directory') names.push(name);
    return names;
  }

  async read(directory: string, name: string): Promise<Blob | undefined> {
    try {
      const folder = await (await this.#root()).getDirectoryHandle(directory);
      return await (await folder.getFileHandle(name)).getFile();
    } catch (thrown) {
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }

  async write(directory: string, name: string, contents: Blob | Uint8Array<ArrayBuffer>): Promise<void> {
    const folder = await (await this.#root()).getDirectoryHandle(directory, { create: true });
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    try {
      await writable.write(contents);
    } catch (thrown) {
      await writable.abort().catch(() => {});
      throw thrown;
    }
    await writable.close();
  }

  async remove(directory: string): Promise<void> {
    try {
      await (await this.#root()).removeEntry(directory, { recursive: true });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }

  async #root(): Promise<FileSystemDirectoryHandle> {
    const storage = await navigator.storage.getDirectory();
    return storage.getDirectoryHandle(this.#below, { create: true });
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'NotFoundError';
}
