import { unzipSync } from 'fflate';
import { Passwords } from '../../shared/kernel/auth/passwords.ts';
import { Founding } from '../../shared/kernel/backup/founding.ts';
import { type BackupParts, backupHandlers } from '../../shared/kernel/backup/handlers.ts';
import { parseManifest } from '../../shared/kernel/backup/manifest.ts';
import { Packer } from '../../shared/kernel/backup/pack.ts';
import { ZipWriter } from '../../shared/kernel/backup/zip-writer.ts';
import { Documents } from '../../shared/kernel/documents.ts';
import type { Invocation } from '../../shared/kernel/handler.ts';
import { Keys } from '../../shared/kernel/seal/keys.ts';
import { type ByteStream, readAll } from '../../shared/protocol/streams.ts';
import { concatBytes } from '../../shared/std/bytes.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import { systemClock, systemRandom } from '../../web/kernel-host/platform.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import { MemoryDisk } from './memory-storage.ts';
import { openTables } from './open-tables.ts';

export const NEW_PASSWORD = 'battery staple';
const FILE_BYTES = 256 * 1024 * 1024;
/** As much as a link hands on at once. */
const CHUNK = 64 * 1024;

/** Export and import over a disk, without the rest of a kernel. */
export class BackupHost {
  readonly disk: MemoryDisk;
  readonly parts: BackupParts;

  private constructor(disk: MemoryDisk, parts: BackupParts) {
    this.disk = disk;
    this.parts = parts;
  }

  static async on(disk = new MemoryDisk(), changes: Partial<BackupParts> = {}): Promise<BackupHost> {
    const documents = new Documents(disk.docs());
    const blobs = disk.blobStore();
    return new BackupHost(disk, {
      documents,
      tables: await openTables(documents),
      clock: systemClock,
      random: systemRandom,
      keys: await Keys.load(disk.vault()),
      passwords: new Passwords({ vault: disk.vault(), random: systemRandom, cost: cheapPasswords }),
      blobs,
      readBlob: (hash) => blobs.get(hash),
      joined: () => false,
      roomAway: () => false,
      founding: new Founding(),
      ...changes,
    });
  }

  async open(uid = 1000): Promise<{ name: string; stream: ByteStream }> {
    let stream: ByteStream | undefined;
    const invocation = { caller: { identity: { uid } }, sendBytes: (bytes: ByteStream) => (stream = bytes) };
    const { name } = await backupHandlers(this.parts)['sys.export']({}, invocation as unknown as Invocation);
    if (!stream) throw new Error('no bytes came');
    return { name, stream };
  }

  async export(): Promise<Uint8Array<ArrayBuffer>> {
    return readAll((await this.open()).stream, FILE_BYTES);
  }

  import(
    file: Uint8Array,
    {
      size = file.length,
      stream = inChunks(file),
      signal = new AbortController().signal,
      sealed = false,
    } = {},
  ): Promise<Result<'sys.import'>> {
    const invocation = { stream, signal } as unknown as Invocation;
    return backupHandlers(this.parts)['sys.import']({ size, password: NEW_PASSWORD, sealed }, invocation);
  }
}

export function inChunks(file: Uint8Array, pulled: (bytes: number) => void = () => {}): ByteStream {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const chunk = file.slice(at, at + CHUNK);
        at += chunk.length;
        pulled(chunk.length);
        if (chunk.length > 0) controller.enqueue(chunk);
        if (at >= file.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** What a file holds, read by another program; texts but for the blobs. */
export function unpack(file: Uint8Array): Map<string, Uint8Array> {
  return new Map(Object.entries(unzipSync(file)));
}

export function textsOf(file: Uint8Array): Record<string, string> {
  return Object.fromEntries(
    [...unpack(file)].map(([name, bytes]) => [name, new TextDecoder('latin1').decode(bytes)]),
  );
}

export function manifestOf(file: Uint8Array) {
  const entries = unzipSync(file, { filter: ({ name }) => name === 'manifest.json' });
  return parseManifest(new TextDecoder().decode(entries['manifest.json']));
}

/** A zip file as GSV writes it, of these entries in this order, names twice where they are given twice. */
export function zipOf(entries: Iterable<readonly [string, Uint8Array | string]>): Uint8Array {
  const zip = new ZipWriter(0);
  const pieces: Uint8Array[] = [];
  for (const [name, contents] of entries) {
    const packer = new Packer();
    packer.add(typeof contents === 'string' ? new TextEncoder().encode(contents) : contents);
    pieces.push(...zip.entry(name, packer.finish()));
  }
  return concatBytes([...pieces, ...zip.end()]);
}
