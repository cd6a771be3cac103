import type { Clock } from '../../std/clock.ts';
import type { KeyedTurns } from '../../std/keyed-turns.ts';
import type { Space } from '../ports/doc-store.ts';
import type { Contents } from './contents.ts';
import type { Inodes } from './inodes.ts';
import type { View } from './views/view.ts';

export type FileSystemParts = {
  inodes: Inodes;
  contents: Contents;
  /** Views by the path they are mounted at. */
  mounts: Map<string, View>;
  /**
   * Writes, removals and moves by path: of one path they take effect in the order in which they were asked for, while to
   * store long contents takes its time.
   */
  order: KeyedTurns;
  clock: Clock;
  /** Resolves when every change made until now is on disk; rejects when it could not be written. */
  flush: (space?: Space) => Promise<void>;
  /** Told of each change what takes it back, and what it may be written to. */
  noted?: (takeBack: () => void, space: Space) => void;
};
