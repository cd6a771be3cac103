import { imageType } from '../../fs-text/image-type.ts';
import { isBinary } from '../../fs-text/is-binary.ts';
import { type NumberedText, numberLine, numberLines } from '../../fs-text/number-lines.ts';
import { replaceText } from '../../fs-text/replace-text.ts';
import { queryProblem } from '../../fs-text/search-lines.ts';
import { SyscallError } from '../../protocol/errors.ts';
import { streamOf } from '../../protocol/streams.ts';
import { toBase64 } from '../../std/bytes.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Handler, Handlers, Invocation } from '../handler.ts';
import { changeFile } from './change-file.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import type { FileSystem } from './file-system.ts';
import { FsError } from './fs-error.ts';
import { absolutePath, normalPath } from './paths.ts';
import { searchFiles } from './search.ts';
import { writeStream } from './write-stream.ts';

export type FsSyscallName =
  | 'fs.read'
  | 'fs.write'
  | 'fs.edit'
  | 'fs.delete'
  | 'fs.search'
  | 'fs.transfer.read'
  | 'fs.transfer.write';

/** FACTS, Numbers. */
const IMAGE_BYTES = 25 * 1024 * 1024;
/** Numbered text of a larger file is asked for in parts. */
const TEXT_BYTES = 64 * 1024 * 1024;

/** The `fs` syscalls on the native target. A write is answered when it is on disk. */
export function fsHandlers(fs: FileSystem): Handlers<FsSyscallName> {
  return {
    'fs.read': answered((args, caller) => read(fs, args, caller)),
    'fs.write': answered((args, caller) => write(fs, args, caller)),
    'fs.edit': answered((args, caller) => edit(fs, args, caller)),
    'fs.delete': answered((args, caller) => remove(fs, args.path, caller)),
    'fs.search': answered((args, caller, invocation) => search(fs, args, caller, invocation.signal)),
    'fs.transfer.read': answered((args, caller, invocation) =>
      transferRead(fs, args.path, caller, invocation),
    ),
    'fs.transfer.write': answered((args, caller, invocation) =>
      transferWrite(fs, args.path, caller, invocation),
    ),
  };
}

/** Answers a failed operation as a result, and names the path as it was understood. */
function answered<Name extends FsSyscallName>(
  run: (args: Args<Name>, caller: Credentials, invocation: Invocation) => Promise<Result<Name>>,
): Handler<Name> {
  return async (args, invocation) => {
    try {
      return await run(args, credentialsOf(invocation.caller), invocation);
    } catch (error) {
      if (error instanceof FsError) return { ok: false, error: error.message } as Result<Name>;
      throw error;
    }
  };
}

function named(path: string, caller: Credentials): string {
  return normalPath(absolutePath(path, caller));
}

async function read(fs: FileSystem, args: Args<'fs.read'>, caller: Credentials): Promise<Result<'fs.read'>> {
  const path = named(args.path, caller);
  const { kind } = await fs.stat(args.path, caller);
  if (kind === 'dir') return { ok: true, path, ...(await list(fs, args.path, caller)) };
  const part = await readPart(fs, args, caller);
  if (part) return textRead(path, part);
  const bytes = await fs.readFile(args.path, caller);
  const type = imageType(bytes);
  if (type) return readImage(path, bytes, type);
  if (isBinary(bytes)) return { ok: false, error: `not a text file (${bytes.length} bytes): ${path}` };
  const text = numberLines(new TextDecoder().decode(bytes), args.offset, args.limit);
  return textRead(path, { ...text, size: bytes.length });
}

function textRead(path: string, text: NumberedText & { size: number }): Result<'fs.read'> {
  if (text.content.length <= TEXT_BYTES) return { ok: true, path, ...text };
  return { ok: false, error: `too long to read at once, use offset and limit: ${path}` };
}

/** Of a file that need not be read whole for some of its lines; `size` is then that of the part. */
async function readPart(
  fs: FileSystem,
  { path, offset = 0, limit = Number.POSITIVE_INFINITY }: Args<'fs.read'>,
  caller: Credentials,
): Promise<(NumberedText & { size: number }) | undefined> {
  const part = await fs.readLines(path, caller, offset, limit);
  if (!part) return undefined;
  const content = part.lines.map((line, at) => numberLine(offset + at + 1, line)).join('\n');
  return { content, lines: part.total, size: new TextEncoder().encode(content).length };
}

async function list(fs: FileSystem, path: string, caller: Credentials) {
  const entries = await fs.readdir(path, caller);
  const names = (wanted: boolean) =>
    entries.filter(({ kind }) => (kind === 'dir') === wanted).map(({ name }) => name);
  return { files: names(false), directories: names(true) };
}

function readImage(path: string, bytes: Uint8Array, mimeType: string): Result<'fs.read'> {
  const size = bytes.length;
  if (size > IMAGE_BYTES)
    return { ok: false, error: `image of ${size} bytes is larger than ${IMAGE_BYTES}: ${path}` };
  const text = `${path} (${mimeType}, ${size} bytes)`;
  return {
    ok: true,
    content: [
      { type: 'text', text },
      { type: 'image', data: toBase64(bytes), mimeType },
    ],
    path,
    size,
  };
}

async function write(
  fs: FileSystem,
  args: Args<'fs.write'>,
  caller: Credentials,
): Promise<Result<'fs.write'>> {
  const bytes = new TextEncoder().encode(args.content);
  await fs.durable(await writeWithParents(fs, args.path, bytes, caller));
  return { ok: true, path: named(args.path, caller), size: bytes.length };
}

async function writeWithParents(
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  caller: Credentials,
): Promise<() => void> {
  try {
    return await fs.writeFile(path, bytes, caller);
  } catch (error) {
    if (!(error instanceof FsError && error.code === 'ENOENT')) throw error;
    await fs.mkdir(absolutePath(path, caller).replace(/\/[^/]*$/, '/'), caller, { recursive: true });
    return fs.writeFile(path, bytes, caller);
  }
}

async function edit(fs: FileSystem, args: Args<'fs.edit'>, caller: Credentials): Promise<Result<'fs.edit'>> {
  const path = named(args.path, caller);
  let replacements = 0;
  const change = (bytes: Uint8Array): Uint8Array => {
    const text = exactText(bytes);
    if (text === undefined) throw new CannotEdit(`not a text file: ${path}`);
    const outcome = replaceText(text, args.oldString, args.newString, args.replaceAll);
    if (!outcome.ok) throw new CannotEdit(outcome.error);
    replacements = outcome.replacements;
    return new TextEncoder().encode(outcome.text);
  };
  try {
    await fs.durable(await changeFile(fs, args.path, caller, { read: true, change }));
  } catch (thrown) {
    if (thrown instanceof CannotEdit) return { ok: false, error: thrown.message };
    throw thrown;
  }
  return { ok: true, path, replacements };
}

/** What an edit does not fit. */
class CannotEdit extends Error {}

/** The text of bytes that encode back to themselves, so that an edit changes nothing else. */
function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function remove(fs: FileSystem, path: string, caller: Credentials): Promise<Result<'fs.delete'>> {
  await fs.durable(await fs.rm(path, caller, { recursive: true }), 'reserve');
  return { ok: true, path: named(path, caller) };
}

async function search(
  fs: FileSystem,
  args: Args<'fs.search'>,
  caller: Credentials,
  signal: AbortSignal,
): Promise<Result<'fs.search'>> {
  const problem = queryProblem(args.query);
  if (problem !== undefined) return { ok: false, error: problem };
  const { query, path = '.', include } = args;
  const { matches, truncated } = await searchFiles(fs, caller, { query, path, include, signal });
  return { ok: true, matches, count: matches.length, ...(truncated ? { truncated } : {}) };
}

async function transferRead(
  fs: FileSystem,
  path: string,
  caller: Credentials,
  invocation: Invocation,
): Promise<Result<'fs.transfer.read'>> {
  const bytes = await fs.readFile(path, caller);
  invocation.sendBytes(streamOf(bytes));
  return { ok: true, path: named(path, caller), size: bytes.length };
}

async function transferWrite(
  fs: FileSystem,
  path: string,
  caller: Credentials,
  invocation: Invocation,
): Promise<Result<'fs.transfer.write'>> {
  if (!invocation.stream) throw new SyscallError(400, 'fs.transfer.write needs a byte stream');
  const { takeBack, ...written } = await writeStream(fs, path, invocation.stream, caller);
  await fs.durable(takeBack);
  return { ok: true, path: named(path, caller), ...written };
}
