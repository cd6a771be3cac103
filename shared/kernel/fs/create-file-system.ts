import type * as Y from 'yjs';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { KeyedTurns } from '../../std/keyed-turns.ts';
import type { Random } from '../../std/random.ts';
import type { Space } from '../ports/doc-store.ts';
import type { Keys } from '../seal/keys.ts';
import { type ContentStore, Contents } from './contents.ts';
import { FileSystem } from './file-system.ts';
import { type FileConflict, Inodes } from './inodes.ts';
import { watchStrays } from './lost-watch.ts';
import { seedTree } from './seed.ts';
import { devView } from './views/dev-view.ts';
import { etcView } from './views/etc-view.ts';
import { type ConfigAccess, sysView } from './views/sys-view.ts';

export type NewFileSystem = {
  /** The `fs` document, loaded. */
  doc: Y.Doc;
  /** Only for contents of files: a blob that no file refers to any more is deleted. */
  blobs: ContentStore;
  tables: SystemTables;
  config: ConfigAccess;
  keys: Pick<Keys, 'keyring'>;
  clock: Clock;
  random: Random;
  /** Resolves when every change of the document until now is on disk. */
  flush: (space?: Space) => Promise<void>;
  /** When the kernel started. */
  startedAt: number;
  /** This replica's index among those of the GSV. */
  writer: () => number;
  /** Changes made apart were both kept. Called on every replica that sees them, with the same id. */
  onConflict: (conflict: FileConflict) => void;
};

/** Opens the filesystem over its document and creates the directories that every GSV has. */
export function createFileSystem(parts: NewFileSystem): FileSystem {
  const { doc, blobs, tables, config, keys, clock, random, flush, startedAt, writer, onConflict } = parts;
  const inodes = new Inodes({ doc, random, writer, onConflict });
  seedTree(inodes, startedAt);
  watchStrays(inodes, clock, onConflict);
  const mounts = new Map([
    ['/dev', devView(random)],
    ['/etc', etcView(tables)],
    ['/sys', sysView(tables, config, keys)],
  ]);
  const contents = new Contents(inodes, blobs);
  return new FileSystem({ inodes, contents, mounts, order: new KeyedTurns(), clock, flush });
}
