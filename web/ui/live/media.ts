import { type MediaType, mediaType } from '../../../shared/fs-text/media-type.ts';
import type { MediaBlock } from '../../../shared/state/conversation.ts';
import type { Gsv } from '../../client/gsv.ts';

/** Files whose addresses are kept at a time; the least recently used go first. */
const MOST_KEPT = 80;
const SNIFFED_BYTES = 4_096;
const TRANSFER_MS = 120_000;
/** What the page shows by itself; anything else can only be saved. SVG is a document, and is never drawn. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export type Media = Pick<MediaBlock, 'kind' | 'path' | 'name' | 'mimeType' | 'size'> &
  Partial<Pick<MediaBlock, 'width' | 'height' | 'durationMs' | 'transcription'>>;

/** The bytes of media as addresses that only this page knows. */
export type MediaLoader = {
  /** Null where the file is gone, or is not what the page shows. */
  address(media: Media): Promise<string | null>;
  /** Rejects with words for a person. */
  file(media: Media): Promise<Blob>;
};

export function createMediaLoader(gsv: Gsv): MediaLoader {
  const kept = new Map<string, Promise<string | null>>();
  const file = async (media: Media): Promise<Blob> => {
    const { collect } = await import('./files.ts');
    const { result, bytes } = await gsv.open(
      'fs.transfer.read',
      { path: media.path },
      { timeoutMs: TRANSFER_MS },
    );
    if (!result.ok || bytes === undefined) throw new Error('The file is gone.');
    return collect(bytes, 'application/octet-stream', () => {});
  };
  const make = async (media: Media): Promise<string | null> => {
    const blob = await file(media);
    const type = await shownType(blob, media);
    return type === null ? null : URL.createObjectURL(new Blob([blob], { type }));
  };
  const trim = (): void => {
    const [oldest] = kept;
    if (kept.size <= MOST_KEPT || oldest === undefined) return;
    kept.delete(oldest[0]);
    void oldest[1].then((address) => {
      if (address !== null) URL.revokeObjectURL(address);
    });
  };
  return {
    file,
    address(media) {
      const known = kept.get(media.path) ?? make(media).catch(() => null);
      kept.delete(media.path);
      kept.set(media.path, known);
      // What cannot be had now may be there later.
      void known.then((address) => {
        if (address === null) kept.delete(media.path);
      });
      trim();
      return known;
    },
  };
}

/** The type under which the bytes may be shown, by what they are; null for everything else. */
export async function shownType(blob: Blob, { mimeType }: Pick<Media, 'mimeType'>): Promise<string | null> {
  const first = new Uint8Array(await blob.slice(0, SNIFFED_BYTES).arrayBuffer());
  const type: MediaType = mediaType(first, mimeType);
  const isSound = type.kind === 'audio' || type.kind === 'video';
  return SHOWN.has(type.mimeType) || isSound ? type.mimeType : null;
}

export type Box = { width: number; height: number };

/** How large a picture stands in the conversation: within the box, never enlarged; a square where its size is not known. */
export function fitted({ width, height }: Partial<Box>, box: Box): Box {
  if (!width || !height) return { width: Math.min(160, box.width), height: Math.min(160, box.height) };
  const scale = Math.min(1, box.width / width, box.height / height);
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
