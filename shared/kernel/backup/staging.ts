import { CONTROL_DOC, type UserRow, UserRow as UserSchema } from '../../state/control.ts';
import { documentOfRow } from '../../state/control-moves.ts';
import { tableOf } from '../../state/row-fields.ts';
import { FS_DOC } from '../../state/system.ts';
import { matches } from '../../std/matches.ts';
import { Username } from '../../syscalls/sys.ts';
import { FIRST_UID } from '../auth/accounts.ts';
import { InodeRow, ROOT_INO } from '../fs/inode-row.ts';
import { damaged } from './damaged.ts';
import { blobOfRow, isFile, isLeftOut, isLocalDocument, isMessage, isSealed } from './left-out.ts';
import type { Manifest } from './manifest.ts';
import { type Counts, noCounts } from './manifest.ts';
import type { Row } from './row-lines.ts';

/** Rows by key, by table. */
export type StagedDocument = ReadonlyMap<string, ReadonlyMap<string, unknown>>;
type Entry = Manifest['files'][number];

/**
 * What was read of a file, beside the state of the GSV. Rows are not checked against the schemas of their tables: a
 * table does that whenever one is read (K2), and a row that was damaged before the export must not make it useless.
 */
export class Staging {
  readonly documents = new Map<string, Map<string, Map<string, unknown>>>();
  /** Documents as the file names them. */
  readonly #named = new Set<string>();
  readonly #counts: Counts = { ...noCounts };
  readonly #entries: Entry[] = [];
  readonly #referred = new Set<string>();
  readonly #blobs = new Set<string>();
  readonly #sealed: string[] = [];

  /** Begins a table. The returned function takes its rows. Both throw SyscallError 400. */
  table(doc: string, table: string): (row: Row) => void {
    if (isLocalDocument(doc) || isLeftOut(doc, table) || tableOf(table) !== table)
      throw damaged(`it holds ${doc}/${table}, which GSV never exports`);
    this.#named.add(doc);
    return ({ key, value }) => {
      const rows = this.#rows(documentOfRow(doc, table, key), table);
      if (rows.has(key)) throw damaged(`it holds the row ${key} of ${doc}/${table} twice`);
      this.#count(doc, table, value);
      if (isSealed(doc, table, value)) this.#sealed.push(key);
      else rows.set(key, value);
    };
  }

  /** Whether a file here has its bytes in this blob. */
  refersTo(hash: string): boolean {
    return this.#referred.has(hash);
  }

  blob(hash: string): void {
    this.#blobs.add(hash);
    this.#counts.blobs += 1;
  }

  entry(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Throws SyscallError 400 when the file is not what its manifest says, or not a whole GSV. */
  check(manifest: Manifest): void {
    this.#counts.documents = this.#named.size;
    const told = new Map(manifest.files.map((entry) => [entry.name, entry]));
    if (told.size !== manifest.files.length || told.size !== this.#entries.length)
      throw damaged('it does not hold what its manifest lists');
    for (const { name, size, sha256 } of this.#entries) {
      const entry = told.get(name);
      if (!entry || entry.size !== size || entry.sha256 !== sha256)
        throw damaged(`${name} is not what the manifest says`);
    }
    for (const [what, count] of Object.entries(this.#counts)) {
      if (manifest.counts[what as keyof Counts] !== count)
        throw damaged(`its manifest counts other ${what} than there are`);
    }
    const missing = new Set(manifest.missing.blobs);
    for (const hash of this.#referred) {
      if (!this.#blobs.has(hash) && !missing.has(hash)) throw damaged('contents of a file are not in it');
    }
    this.#checkWhole();
  }

  /** The account that set the GSV up. Throws SyscallError 400 when there is none. */
  get owner(): UserRow {
    const user = this.documents.get(CONTROL_DOC)?.get('users')?.get(String(FIRST_UID));
    if (!matches(UserSchema, user) || user.uid !== FIRST_UID || !matches(Username, user.username))
      throw damaged('it holds no account');
    return user;
  }

  get counts(): Readonly<Counts> {
    return this.#counts;
  }

  /** Settings that have to be typed again. */
  secrets(manifest: Manifest): string[] {
    return [...new Set([...manifest.secrets, ...this.#sealed])].sort();
  }

  #rows(doc: string, table: string): Map<string, unknown> {
    const tables = this.documents.get(doc) ?? new Map<string, Map<string, unknown>>();
    const rows = tables.get(table) ?? new Map<string, unknown>();
    this.documents.set(doc, tables.set(table, rows));
    return rows;
  }

  #checkWhole(): void {
    void this.owner;
    const inodes = this.documents.get(FS_DOC)?.get('inodes') ?? new Map<string, unknown>();
    const isRoot = ([key, row]: [string, unknown]): boolean =>
      inoOf(key) === ROOT_INO && matches(InodeRow, row) && row.kind === 'dir';
    if (![...inodes].some(isRoot)) throw damaged('it holds no files');
  }

  #count(doc: string, table: string, value: unknown): void {
    this.#counts.rows += 1;
    if (isMessage(doc, table)) this.#counts.messages += 1;
    if (isFile(doc, table, value)) this.#counts.files += 1;
    const hash = blobOfRow(doc, table, value);
    if (hash !== undefined) this.#referred.add(hash);
  }
}

/** Rows of an inode stand under its own name, or under that and `@` with the number of the replica that wrote them. */
function inoOf(key: string): string {
  return key.replace(/@\d+$/, '');
}
