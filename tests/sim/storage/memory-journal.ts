import type { JournalRecord, JournalStore, Place } from '../../../driver/journal/journal-store.ts';
import type { Life } from '../engine/life.ts';

/** A driver's journal in memory; outlives the drivers that use it. */
export class JournalDisk {
  readonly lines: string[] = [];
  /** A defect for tests of the tests: nothing is there when a driver starts. */
  forgets = false;

  /** The journal as one program sees it. */
  store(life: Life): JournalStore {
    if (this.forgets) this.lines.length = 0;
    const { lines } = this;
    return {
      size: 0,
      async scan(found) {
        for (const [at, line] of lines.entries()) found(JSON.parse(line) as JournalRecord, placeOf(at));
      },
      async append(record, _how, learn) {
        if (life.over) return;
        lines.push(JSON.stringify(record));
        learn(placeOf(lines.length - 1));
      },
      async read({ at }) {
        const line = lines[at];
        return line === undefined ? undefined : (JSON.parse(line) as JournalRecord);
      },
      async rewrite() {},
      async close() {},
    };
  }
}

function placeOf(at: number): Place {
  return { at, length: 0 };
}
