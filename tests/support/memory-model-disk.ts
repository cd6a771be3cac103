import type { ModelDisk } from '../../web/kernel-host/shelf/model-disk.ts';

/** A disk for models that survives whoever uses it, and can be full. */
export class MemoryModelDisk implements ModelDisk {
  readonly files = new Map<string, Map<string, Blob>>();
  full = false;

  async directories(): Promise<string[]> {
    return [...this.files.keys()];
  }

  async read(directory: string, name: string): Promise<Blob | undefined> {
    return this.files.get(directory)?.get(name);
  }

  async write(directory: string, name: string, contents: Blob | Uint8Array): Promise<void> {
    if (this.full && contents instanceof Uint8Array)
      throw new DOMException('The quota is exceeded', 'QuotaExceededError');
    const folder = this.files.get(directory) ?? new Map<string, Blob>();
    folder.set(name, new Blob([contents as Blob]));
    this.files.set(directory, folder);
  }

  async remove(directory: string): Promise<void> {
    this.files.delete(directory);
  }
}
