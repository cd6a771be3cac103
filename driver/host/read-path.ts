import type { Dirent } from 'node:fs';
import { type FileHandle, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ImageType, imageType } from '../../shared/fs-text/image-type.ts';
import { isBinary, SNIFFED_BYTES } from '../../shared/fs-text/is-binary.ts';
import { numberLine, numberLines, splitLines } from '../../shared/fs-text/number-lines.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { readLineRange } from './line-range.ts';
import { OperationFailure } from './operation.ts';
import { readUpTo, withFile } from './read-bytes.ts';

const MIB = 1024 * 1024;
/** FACTS, Numbers: fs.read image, device. */
const IMAGE_BYTES = 10 * MIB;
/** A text longer than this is read in parts. */
const TEXT_BYTES = 50 * MIB;
/** Up to here one read fetches the whole file before its kind is known. */
const SMALL_BYTES = 256 * 1024;

type Read = Result<'fs.read'>;
type Part = Pick<Args<'fs.read'>, 'offset' | 'limit'>;

/** Answers `fs.read` for an absolute path. Rejects with what `operation` understands. */
export function readPath(path: string, part: Part): Promise<Read> {
  return withFile<Read>(
    path,
    (file, size) => readFileContent(file, path, size, part),
    () => listDirectory(path),
  );
}

async function readFileContent(file: FileHandle, path: string, size: number, part: Part): Promise<Read> {
  const head = await readUpTo(file, size > SMALL_BYTES ? SNIFFED_BYTES : SMALL_BYTES, size);
  const image = imageType(head);
  if (image) return readImage(file, path, size, image);
  if (isBinary(head))
    throw new OperationFailure(`A binary file of ${size} bytes, not text or an image: ${path}`);
  if (size > TEXT_BYTES) return readPart(file, path, size, part);
  const whole =
    head.length < SMALL_BYTES && head.length >= size ? head : await readUpTo(file, TEXT_BYTES, size);
  return {
    ok: true,
    ...numberLines(whole.toString('utf8'), part.offset, part.limit),
    path,
    size: whole.length,
  };
}

async function readImage(file: FileHandle, path: string, size: number, mimeType: ImageType): Promise<Read> {
  if (size > IMAGE_BYTES) {
    throw new OperationFailure(`An image of ${size} bytes; at most ${IMAGE_BYTES} can be read: ${path}`);
  }
  const bytes = await readUpTo(file, IMAGE_BYTES, size);
  const text = `${basename(path)} (${mimeType}, ${bytes.length} bytes)`;
  const content = [
    { type: 'text' as const, text },
    { type: 'image' as const, data: bytes.toString('base64'), mimeType },
  ];
  return { ok: true, content, path, size: bytes.length };
}

/** The number of lines is told only where the end of the file was reached. */
async function readPart(file: FileHandle, path: string, size: number, part: Part): Promise<Read> {
  if (part.offset === undefined && part.limit === undefined) {
    throw new OperationFailure(`A text of ${size} bytes: read it in parts with offset and limit: ${path}`);
  }
  const offset = part.offset ?? 0;
  const range = await readLineRange(file, offset, part.limit ?? Number.POSITIVE_INFINITY, TEXT_BYTES);
  const lines = splitLines(range.bytes.toString('utf8'));
  const content = lines.map((line, index) => numberLine(offset + index + 1, line)).join('\n');
  return { ok: true, content, path, size, ...(range.ended ? { lines: range.linesSeen } : {}) };
}

async function listDirectory(path: string): Promise<Read> {
  const files: string[] = [];
  const directories: string[] = [];
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (await isDirectory(path, entry)) directories.push(entry.name);
    else files.push(entry.name);
  }
  return { ok: true, path, files: files.sort(), directories: directories.sort() };
}

/** A link counts as what it leads to; one that leads nowhere counts as a file. */
async function isDirectory(parent: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return stat(join(parent, entry.name)).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
