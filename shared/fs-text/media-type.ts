import { imageType } from './image-type.ts';
import { isBinary } from './is-binary.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'document';
export type MediaType = { kind: MediaKind; mimeType: string };

/** First bytes by type, from a place in the file. */
const marks: readonly [type: string, at: number, bytes: string][] = [
  ['application/pdf', 0, '%PDF-'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['video/mp4', 4, 'ftyp'],
];
const MATROSKA = '\x1aE\xdf\xa3';

/**
 * What a file is by its bytes, whatever it is called: images that browsers and models take, audio, video, documents.
 * `claimed` decides only what the bytes leave open: sound or picture in a container, and which kind of text.
 */
export function mediaType(bytes: Uint8Array, claimed = ''): MediaType {
  const image = imageType(bytes);
  if (image) return { kind: 'image', mimeType: image };
  if (has(bytes, 0, MATROSKA)) return contained('webm', claimed);
  const mark = marks.find(([, at, magic]) => has(bytes, at, magic));
  if (mark) return typed(mark[0]);
  if (isMp3Frame(bytes)) return typed('audio/mpeg');
  if (isBinary(bytes)) return typed('application/octet-stream');
  return typed(/^text\/[\w.+-]{1,60}$/.test(claimed) ? claimed : 'text/plain');
}

function contained(format: string, claimed: string): MediaType {
  return typed(`${claimed.startsWith('audio/') ? 'audio' : 'video'}/${format}`);
}

function typed(mimeType: string): MediaType {
  const kind = mimeType.slice(0, mimeType.indexOf('/'));
  return { kind: kind === 'audio' || kind === 'video' ? kind : 'document', mimeType };
}

function isMp3Frame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe6) === 0xe2;
}

function has(bytes: Uint8Array, at: number, magic: string): boolean {
  return (
    bytes.length >= at + magic.length &&
    [...magic].every((byte, offset) => bytes[at + offset] === byte.charCodeAt(0))
  );
}
