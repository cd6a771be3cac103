import type { Block, MediaBlock, MessageRow } from '../../state/conversation.ts';
import { toBase64 } from '../../std/bytes.ts';
import type { ImageBlock, TextBlock } from '../ports/models.ts';
import type { MediaStore } from './media-store.ts';

/** Characters of one text document that a model is given; the rest it reads from the file. */
export const TEXT_CHARACTERS = 60_000;
/** Newest first, images of one request: more, or more bytes, and providers refuse it. */
const MOST_IMAGES = 20;
const IMAGE_BYTES = 15 * 1024 * 1024;
/** A larger one is refused by providers. */
const ONE_IMAGE_BYTES = 5 * 1024 * 1024;

export type Hydration = { store: Pick<MediaStore, 'read'>; seesImages: boolean };
type Shown = TextBlock | ImageBlock;

/**
 * Messages as a model takes them: its images with their bytes where it sees any, everything else in words. A message
 * without media stays the same object.
 */
export async function hydrate(
  rows: readonly MessageRow[],
  { store, seesImages }: Hydration,
): Promise<MessageRow[]> {
  const left = { images: MOST_IMAGES, bytes: IMAGE_BYTES };
  const isMedia = (block: Block): boolean =>
    block.type === 'media' || (block.type === 'image' && !seesImages);
  const shown: MessageRow[] = [];
  for (const row of [...rows].reverse()) {
    if (!row.content.some(isMedia)) {
      shown.push(row);
      continue;
    }
    const content: Block[] = [];
    for (const block of row.content) {
      if (block.type === 'media') content.push(...(await show(block)));
      else if (isMedia(block)) content.push(text('[image; this model cannot see images]'));
      else content.push(block);
    }
    shown.push({ ...row, content });
  }
  return shown.reverse();

  async function show(media: MediaBlock): Promise<Shown[]> {
    if (media.kind === 'image') return showImage(media);
    if (media.mimeType.startsWith('text/')) return [await showText(media)];
    return [text(described(media, outlook(media)))];
  }

  async function showImage(media: MediaBlock): Promise<Shown[]> {
    if (!seesImages) return [text(described(media, 'this model cannot see images'))];
    if (media.size > ONE_IMAGE_BYTES) return [text(described(media, 'too large to be shown to a model'))];
    if (left.images === 0 || left.bytes < media.size) return [text(described(media, 'not shown again'))];
    const bytes = await store.read(media);
    if (!bytes) return [text(described(media, 'it cannot be read now'))];
    left.images -= 1;
    left.bytes -= bytes.length;
    const { mimeType } = media;
    return [text(described(media)), { type: 'image', data: toBase64(bytes), mimeType }];
  }

  async function showText(media: MediaBlock): Promise<TextBlock> {
    const bytes = await store.read(media);
    if (!bytes) return text(described(media, 'it cannot be read now'));
    const whole = new TextDecoder().decode(bytes);
    const cut = whole.length > TEXT_CHARACTERS;
    const words = described(media, cut ? `its first ${TEXT_CHARACTERS} characters follow` : undefined);
    return text(`${words}\n${whole.slice(0, TEXT_CHARACTERS)}`);
  }
}

const text = (value: string): TextBlock => ({ type: 'text', text: value });

function outlook({ kind, transcription }: MediaBlock): string {
  if (transcription !== undefined) return `what is said in it: ${transcription}`;
  return kind === 'document' ? 'read it with your tools' : 'there is no transcript of it';
}

/** `[image: cat.png, 1.2 MB, /var/media/…; this model cannot see images]` */
function described({ kind, name, size, path }: MediaBlock, more?: string): string {
  return `[${kind}: ${name}, ${bytesWords(size)}, ${path}${more === undefined ? '' : `; ${more}`}]`;
}

function bytesWords(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  return size < 1_000_000 ? `${Math.round(size / 1_000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
