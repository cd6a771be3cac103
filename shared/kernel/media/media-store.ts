import { imageSize } from '../../fs-text/image-size.ts';
import { type MediaKind, mediaType } from '../../fs-text/media-type.ts';
import { SyscallError } from '../../protocol/errors.ts';
import type { MediaBlock } from '../../state/conversation.ts';
import { fromBase64 } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';
import type { MediaRef } from '../../syscalls/media.ts';
import { type Credentials, ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { FsError } from '../fs/fs-error.ts';
import type { ImageBlock, TextBlock } from '../ports/models.ts';
import { type MediaOwner, mediaDirectory, ownDirectory } from './place.ts';

const MIB = 1024 * 1024;
/** Images as models take them (FACTS, Numbers); a browser holds the others whole while it stores them. */
export const MEDIA_BYTES: Record<MediaKind, number> = {
  image: 25 * MIB,
  audio: 100 * MIB,
  video: 100 * MIB,
  document: 100 * MIB,
};
export const MOST_MEDIA_BYTES = 100 * MIB;
const NAME_CHARACTERS = 80;

export type MediaParts = { fs: FileSystem; random: Random };
type ResultBlock = TextBlock | ImageBlock | MediaBlock;
/** The media of one process, for its runs. */
export type RunMedia = Pick<MediaStore, 'read'> & {
  keepImages(content: readonly ResultBlock[]): Promise<ResultBlock[]>;
};
type About = Pick<MediaBlock, 'name' | 'durationMs' | 'transcription'>;

/**
 * What is attached to messages, and images that tools have read: files below `/var/media/<uid>/<pid>`, whose contents are
 * blobs. What a file is, its bytes tell.
 */
export class MediaStore {
  readonly #parts: MediaParts;

  constructor(parts: MediaParts) {
    this.#parts = parts;
  }

  /** Stores bytes for a process. Resolves when they are on disk. Throws 413 with words for a person, or FsError. */
  async put(
    owner: MediaOwner,
    bytes: Uint8Array<ArrayBuffer>,
    about: Pick<MediaBlock, 'name' | 'durationMs'>,
    claimed = '',
  ): Promise<MediaBlock> {
    const { fs, random } = this.#parts;
    const media = describe(bytes, about, claimed);
    const directory = mediaDirectory(owner);
    await ownDirectory(fs, directory, owner);
    const path = `${directory}/${random.uuid().slice(0, 8)}-${safeName(about.name)}`;
    await fs.writeFile(path, bytes, ROOT);
    await fs.chown(path, owner, ROOT);
    await fs.durable();
    return { ...media, path };
  }

  /** What a message refers to: media of the process, or a copy of any file that the caller may read. */
  async refer(owner: MediaOwner, caller: Credentials, ref: MediaRef): Promise<MediaBlock> {
    const { fs } = this.#parts;
    const path = await fs.realpath(ref.path, caller);
    const bytes = await fs.readFile(path, caller);
    const { transcription, durationMs, mimeType } = ref;
    const about: About = {
      name: ref.name ?? nameOf(path),
      ...(durationMs === undefined ? {} : { durationMs }),
    };
    const said = transcription === undefined ? {} : { transcription };
    if (!path.startsWith(`${mediaDirectory(owner)}/`))
      return { ...(await this.put(owner, bytes, about, mimeType)), ...said };
    return { ...describe(bytes, about, mimeType), path, ...said };
  }

  /** Stores the images of a tool's result. What cannot be stored stays as it is. */
  async keepImages(owner: MediaOwner, content: readonly ResultBlock[]): Promise<ResultBlock[]> {
    const keep = async (block: ResultBlock): Promise<ResultBlock> => {
      if (block.type !== 'image') return block;
      const name = `image.${block.mimeType.split('/')[1] ?? 'bin'}`;
      return this.put(owner, fromBase64(block.data), { name }).catch(() => block);
    };
    return Promise.all(content.map(keep));
  }

  /** Undefined when it is gone, or cannot be had now. */
  read({ path }: Pick<MediaBlock, 'path'>): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#parts.fs.readFile(path, ROOT).catch((thrown) => {
      if (thrown instanceof FsError) return undefined;
      throw thrown;
    });
  }
}

function describe(bytes: Uint8Array, about: About, claimed = ''): Omit<MediaBlock, 'path'> {
  const type = mediaType(bytes, claimed);
  const most = MEDIA_BYTES[type.kind];
  if (bytes.length > most) throw new SyscallError(413, tooLarge(about.name, bytes.length, type.kind));
  const size = type.kind === 'image' ? imageSize(bytes) : undefined;
  return { type: 'media', ...type, ...about, size: bytes.length, ...size };
}

export function tooLarge(name: string, size: number, kind: MediaKind): string {
  const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
  return `“${name}” has ${mib(size)}; ${kind === 'image' ? 'an image' : 'a file'} may have ${mib(MEDIA_BYTES[kind])} at most`;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/^[0-9a-f]{8}-/, '');

/** As a file's name: no slash, no control character, not hidden, and short; the ending stays. */
function safeName(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}/\\:]+/gu, '_')
    .replace(/^[.\s]+/, '')
    .trim();
  const dot = plain.lastIndexOf('.');
  const ending = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : '';
  const stem = ending === '' ? plain : plain.slice(0, dot);
  return `${[...stem].slice(0, NAME_CHARACTERS).join('') || 'file'}${ending}`;
}
