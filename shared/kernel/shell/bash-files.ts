import type { CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from 'just-bash/browser';
import { fromBase64, toBase64, toHex } from '../../std/bytes.ts';
import { appendFile } from '../fs/change-file.ts';
import { copy } from '../fs/copy.ts';
import type { Credentials } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { FsError } from '../fs/fs-error.ts';
import { normalPath } from '../fs/paths.ts';
import type { FileStat } from '../fs/places.ts';
import { Refusals } from './refusals.ts';

/** Opaque to everybody but the shell. */
type ByteString = Awaited<ReturnType<NonNullable<IFileSystem['readFileBytes']>>>;
type Encoding = string | null | { encoding?: string | null } | undefined;

/** Below here a write sets a value, so the truncation that a shell begins a redirect with must not be one. */
const VALUES = '/sys/config/';
const PROGRAM_DIRS = ['/bin/', '/usr/bin/'];
const PROGRAM: FileStat = { kind: 'file', mode: 0o755, uid: 0, gid: 0, size: 0, mtime: 0, ino: 'program' };

/** The native filesystem as just-bash asks for it, on behalf of one caller. Errors carry their code first, as Node's do. */
export class BashFiles implements IFileSystem {
  readonly #fs: FileSystem;
  readonly #caller: Credentials;
  readonly #programs: ReadonlySet<string>;
  readonly refusals = new Refusals();

  /** `programs` are the built-in commands, which appear in `/bin` and `/usr/bin` to whoever names them. */
  constructor(fs: FileSystem, caller: Credentials, programs: ReadonlySet<string>) {
    this.#fs = fs;
    this.#caller = caller;
    this.#programs = programs;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    return decode(await this.readFileBuffer(path), encodingOf(options));
  }

  /** One byte a character. Faster than what the shell makes of `readFileBuffer`. */
  async readFileBytes(path: string): Promise<ByteString> {
    return decode(await this.readFileBuffer(path), 'binary') as unknown as ByteString;
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#translated('open', path, this.#fs.readFile(path, this.#caller));
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (content === '' && path.startsWith(VALUES)) return;
    await this.#translated(
      'open',
      path,
      this.#fs.writeFile(path, encode(content, encodingOf(options)), this.#caller),
    );
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = encode(content, encodingOf(options));
    if (bytes.length === 0 && (await this.exists(path))) return;
    await this.#translated('open', path, appendFile(this.#fs, path, bytes, this.#caller));
  }

  async exists(path: string): Promise<boolean> {
    return this.#isProgram(path) || this.#fs.exists(path, this.#caller);
  }

  async stat(path: string): Promise<FsStat> {
    if (this.#isProgram(path)) return shellStat(PROGRAM);
    return shellStat(await this.#translated('stat', path, this.#fs.stat(path, this.#caller)));
  }

  async lstat(path: string): Promise<FsStat> {
    if (this.#isProgram(path)) return shellStat(PROGRAM);
    return shellStat(await this.#translated('lstat', path, this.#fs.lstat(path, this.#caller)));
  }

  mkdir(path: string, options?: MkdirOptions): Promise<void> {
    return this.#translated('mkdir', path, this.#fs.mkdir(path, this.#caller, options));
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#entries(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string) {
    return (await this.#entries(path)).map(({ name, kind }) => ({
      name,
      isFile: kind === 'file',
      isDirectory: kind === 'dir',
      isSymbolicLink: kind === 'symlink',
    }));
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    await this.#translated('rm', path, this.#fs.rm(path, this.#caller, options));
  }

  cp(from: string, to: string, options?: CpOptions): Promise<void> {
    return this.#translated('cp', from, copy(this.#fs, from, to, this.#caller, options));
  }

  mv(from: string, to: string): Promise<void> {
    return this.#translated('rename', from, this.#fs.rename(from, to, this.#caller));
  }

  resolvePath(base: string, path: string): string {
    return normalPath(path.startsWith('/') ? path : `${base}/${path}`);
  }

  /** Globs read directories instead. */
  getAllPaths(): string[] {
    return [];
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#translated('chmod', path, this.#fs.chmod(path, mode, this.#caller));
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#translated('symlink', path, this.#fs.symlink(target, path, this.#caller));
  }

  async link(_existing: string, path: string): Promise<void> {
    throw asNodeError('link', path, new FsError('EPERM', path));
  }

  readlink(path: string): Promise<string> {
    return this.#translated('readlink', path, this.#fs.readlink(path, this.#caller));
  }

  realpath(path: string): Promise<string> {
    return this.#translated('realpath', path, this.#fs.realpath(path, this.#caller));
  }

  utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    return this.#translated('utimes', path, this.#fs.touch(path, modified.getTime(), this.#caller));
  }

  async #translated<T>(operation: string, path: string, result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      this.refusals.note(path, error.code);
      throw asNodeError(operation, path, error);
    }
  }

  #entries(path: string) {
    return this.#translated('scandir', path, this.#fs.readdir(path, this.#caller));
  }

  #isProgram(path: string): boolean {
    const directory = PROGRAM_DIRS.find((dir) => path.startsWith(dir));
    return directory !== undefined && this.#programs.has(path.slice(directory.length));
  }
}

/** An error with its code first, as Node's have it. */
function asNodeError(operation: string, path: string, error: FsError): Error {
  const message = `${error.code}: ${FsError.sentence(error.code)}, ${operation} '${path}'`;
  return Object.assign(new Error(message), { code: error.code, path });
}

function shellStat({ kind, mode, size, mtime, ino }: FileStat): FsStat {
  const kinds = { isFile: kind === 'file', isDirectory: kind === 'dir', isSymbolicLink: kind === 'symlink' };
  return { ...kinds, mode, size, mtime: new Date(mtime), identity: ino };
}

function encodingOf(options: Encoding): string {
  const encoding = typeof options === 'object' ? options?.encoding : options;
  return encoding ?? 'utf8';
}

const BYTE_ENCODINGS = new Set(['binary', 'latin1', 'ascii']);

function encode(content: FileContent, encoding: string): Uint8Array {
  if (typeof content !== 'string') return content;
  if (BYTE_ENCODINGS.has(encoding)) return bytesOf(content);
  if (encoding === 'base64') return fromBase64(content);
  if (encoding === 'hex')
    return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new TextEncoder().encode(content);
}

/** The bytes of a byte string: one character a byte. */
export function bytesOf(byteString: string): Uint8Array {
  const bytes = new Uint8Array(byteString.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = byteString.charCodeAt(at);
  return bytes;
}

function decode(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'hex') return toHex(bytes);
  if (encoding === 'base64') return toBase64(bytes);
  return BYTE_ENCODINGS.has(encoding) ? byteString(bytes) : new TextDecoder().decode(bytes);
}

/** Measured: a few times faster than larger chunks, and than spreading them. */
const CHUNK = 8192;

/** One byte a character. */
function byteString(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // Nothing was decoded from more than one byte, nor replaced: all of it is ASCII, and each byte its character.
  if (text.length === bytes.length && !text.includes('\uFFFD')) return text;
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    chunks.push(String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]));
  }
  return chunks.join('');
}
