import type { SystemTables } from '../../state/system.ts';
import type { EntryHead } from './entry.ts';
import { writerOf } from './writer.ts';

/**
 * Which keys browsers that were shut out still have. Once everything from before is sealed anew, an honest room has
 * nothing under those keys that they could have made: what comes then was made afterwards.
 */
export class OldKeys {
  static readonly none = new OldKeys(0, new Map());
  /** Everything is sealed under the key of this epoch, or a newer one; 0 while that is not known. */
  readonly #sealedAnew: number;
  /** Of each writer that was shut out the first epoch whose key it has not. */
  readonly #since: ReadonlyMap<string, number>;

  private constructor(sealedAnew: number, since: ReadonlyMap<string, number>) {
    this.#sealedAnew = sealedAnew;
    this.#since = since;
  }

  /** As the sealed tables say it now. */
  static of({ shutOut, reseals }: Pick<SystemTables, 'shutOut' | 'reseals'>): OldKeys {
    const ended = reseals.rows().flatMap(({ epoch, endedAt }) => (endedAt === null ? [] : [epoch]));
    const sealedAnew = Math.max(0, ...ended);
    const over = shutOut
      .rows()
      .flatMap(({ replicaId, since }): [string, number][] =>
        since !== undefined && since <= sealedAnew ? [[writerOf(replicaId), since]] : [],
      );
    return new OldKeys(sealedAnew, new Map(over));
  }

  /**
   * Whether somebody who was shut out can have made this, and nobody else would have: an entry of that writer's, or a
   * snapshot, which may be anybody's.
   */
  made({ mode, epoch, writer }: Pick<EntryHead, 'mode' | 'epoch' | 'writer'>): boolean {
    if (epoch >= this.#sealedAnew) return false;
    if (mode === 'change') return epoch < (this.#since.get(writer) ?? 0);
    return [...this.#since.values()].some((since) => epoch < since);
  }
}
