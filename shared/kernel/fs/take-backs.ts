import type { InodeRow } from './inode-row.ts';

export type TakeBackParts = {
  /** An inode as it is now; undefined when there is none. */
  read(ino: string): InodeRow | undefined;
  /** This replica's row of it. */
  own(ino: string): InodeRow | undefined;
  /** Puts a row in the place of this replica's, or takes that away. */
  restore(ino: string, row: InodeRow | undefined): void;
};

type Change = { ino: string; before: InodeRow | undefined; after: InodeRow | undefined };

/**
 * Takes changes of inodes back that the disk refused. What an inode was goes under this replica's own key, with the version
 * that it had, and rows of others stay away: a change that another replica made meanwhile has seen it, and wins. Written
 * under the other's key again, it might win itself.
 */
export class TakeBacks {
  readonly #parts: TakeBackParts;
  /** What inodes were before the changes that are being made. */
  #changing: Map<string, InodeRow | undefined> | null = null;
  /** What was refused and replaced before that was known: what there was before it. */
  readonly #refused = new Map<string, InodeRow | undefined>();

  constructor(parts: TakeBackParts) {
    this.#parts = parts;
  }

  /** Call it before an inode is changed. */
  changing(ino: string): void {
    if (this.#changing && !this.#changing.has(ino)) this.#changing.set(ino, this.#parts.read(ino));
  }

  /** Makes changes and answers with what takes them back, but for inodes that were changed again since. */
  takeable(change: () => void): () => void {
    const noted = new Map<string, InodeRow | undefined>();
    this.#changing = noted;
    try {
      change();
    } finally {
      this.#changing = null;
    }
    const changes = Array.from(
      noted,
      ([ino, before]): Change => ({ ino, before, after: this.#parts.own(ino) }),
    );
    return () => {
      for (const made of changes.reverse()) this.#takeBack(made);
    };
  }

  #takeBack({ ino, before, after }: Change): void {
    const kept = this.#keptBefore(ino, before);
    const isChanged = nameOf(ino, this.#parts.own(ino)) !== nameOf(ino, after);
    if (isChanged) this.#refused.set(nameOf(ino, after), kept);
    else this.#parts.restore(ino, kept);
  }

  #keptBefore(ino: string, before: InodeRow | undefined): InodeRow | undefined {
    const name = nameOf(ino, before);
    if (!this.#refused.has(name)) return before;
    const kept = this.#refused.get(name);
    this.#refused.delete(name);
    return kept;
  }
}

/** Of one change of one inode. */
const nameOf = (ino: string, row: InodeRow | undefined): string =>
  `${ino} ${JSON.stringify([row?.version, row?.stamps])}`;
